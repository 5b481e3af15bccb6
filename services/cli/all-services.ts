import { serviceNames } from '../platform/migrate';
import { connect } from './remote';

export const operatorRoles = ['platform-operator', 'operator'];

/** The same list of every service, with the service's name on each row. */
export const fromAll = async <T>(path: string): Promise<(T & { readonly service: string })[]> => {
  const remote = connect(operatorRoles);
  const lists = await Promise.all(
    serviceNames.map(async (service) =>
      (await remote.get<{ items: T[] }>(`/v1/ops/${service}${path}`)).items.map((item) => ({ ...item, service })),
    ),
  );
  return lists.flat();
};

/** The name of a service as somebody typed it, or an error that lists them. */
export const serviceNamed = (name: string): string => {
  if (!(serviceNames as readonly string[]).includes(name))
    throw new Error(`no service is named ${name}: ${serviceNames.join(', ')}`);
  return name;
};
