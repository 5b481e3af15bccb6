import { RequestMalformedError } from '@a2a-js/sdk/errors';

export const checkLength = (length: unknown): void => {
  if (length !== undefined && !(Number.isInteger(length) && (length as number) >= 0))
    throw new RequestMalformedError('historyLength must be a whole number from 0');
};

export const idOf = (id: unknown): string => {
  if (typeof id !== 'string' || id === '') throw new RequestMalformedError('the id of a task is required');
  return id;
};
