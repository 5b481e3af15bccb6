const width = 240;
const height = 32;

/** A small line; its last value stands in words beside it. */
export const Plot = ({ of, label }: { readonly of: readonly number[]; readonly label: string }) => {
  const top = Math.max(1, ...of);
  const step = of.length < 2 ? 0 : width / (of.length - 1);
  const points = of.map(
    (value, index) => `${(index * step).toFixed(1)},${(height - 1 - (value / top) * (height - 2)).toFixed(1)}`,
  );
  return (
    <svg className="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      <polyline points={points.join(' ')} />
    </svg>
  );
};
