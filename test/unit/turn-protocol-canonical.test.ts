import fc from 'fast-check';
import { canonicalBytes, sealRequest, sha256Hex } from '../../services/platform/canonical';

const text = (value: unknown) => canonicalBytes(value).toString('utf8');

describe('H8 canonical bytes (RFC 8785)', () => {
  test('the example of the RFC, section 3.2.2', () => {
    const input = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(text(input)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('keys are ordered by UTF-16 code units, as in section 3.2.3', () => {
    const input = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 };
    expect([...text(input).matchAll(/:(\d)/g)].map((m) => m[1])).toEqual(['2', '4', '6', '7', '1', '5', '3']);
  });

  test.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [9007199254740993, '9007199254740992'],
    [5e-324, '5e-324'],
    [[undefined === undefined, []], '[true,[]]'],
    [{ b: undefined, a: 1 }, '{"a":1}'],
  ])('%p is %s', (value, expected) => expect(text(value)).toBe(expected));

  test.each([[NaN], [Infinity], ['\ud800'], [{ '\udc00': 1 }], [() => 1], [10n], [undefined]])(
    '%p has no canonical form',
    (value) => expect(() => canonicalBytes(value)).toThrow(TypeError),
  );

  test('an own __proto__ member is a member like any other', () => {
    expect(text(JSON.parse('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}');
  });

  test('it means the same, and does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
        const backwards = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalBytes(backwards).equals(canonicalBytes(value))).toBe(true);
        expect(JSON.parse(text(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('a body is sealed byte for byte, params canonically', () => {
    expect(sealRequest({ body: '{ "b": 1.0,  "a":"\\u0041" }' }).toString()).toBe('{ "b": 1.0,  "a":"\\u0041" }');
    expect(sealRequest({ params: { b: 1.0, a: 'A' } }).toString()).toBe('{"a":"A","b":1}');
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
