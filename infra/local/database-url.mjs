// How a service's own database address follows from the administrator's.
import { createHmac } from 'node:crypto';

/** Database and role of a service carry one name. */
export const serviceRole = (service) => `fairlead_${service.replaceAll('-', '_')}`;

/**
 * HMAC-SHA256 of the role under the administrator's password: every process that may administer the database can
 * derive it, so no second secret has to be stored or handed around.
 */
export const rolePassword = (adminUrl, role) =>
  createHmac('sha256', decodeURIComponent(new URL(adminUrl).password))
    .update(role)
    .digest('hex');

export const serviceDatabaseUrl = (adminUrl, service) => {
  const role = serviceRole(service);
  const url = new URL(adminUrl);
  url.username = role;
  url.password = rolePassword(adminUrl, role);
  url.pathname = `/${role}`;
  return url.href;
};

/** `ADMISSION_DATABASE_URL` for admission: names one service's database directly. */
export const databaseVariable = (service) => `${service.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`;
