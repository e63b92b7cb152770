import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { SluiceError } from '../base/index.ts';

/** How a password is checked: none needed, or salted scrypt (N = 16384, r = 8, p = 1, 32 bytes). */
export type Secret =
  | { readonly kind: 'none' }
  | { readonly kind: 'scrypt'; readonly salt: Buffer; readonly hash: Buffer };

const hashBytes = 32;

/** The scrypt hash of a password, computed off this thread. */
export function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}

export async function secretOf(password: string): Promise<Secret> {
  if (password === '') return { kind: 'none' };
  const salt = randomBytes(16);
  return { kind: 'scrypt', salt, hash: await derive(password, salt) };
}

/** The text for `password_hash` in a users file: salted scrypt, different every time. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return secretText({ kind: 'scrypt', salt, hash: await derive(password, salt) });
}

/** A secret as text; empty when no password is needed. */
export function secretText(secret: Secret): string {
  return secret.kind === 'none' ? '' : `scrypt:${secret.salt.toString('hex')}:${secret.hash.toString('hex')}`;
}

/** A secret from its text; throws BAD_ARGUMENTS. `where` says in an error where the text stands. */
export function parseSecret(text: string, where: string): Secret {
  if (text === '') return { kind: 'none' };
  const match = /^scrypt:((?:[0-9a-f]{2})+):([0-9a-f]{64})$/.exec(text);
  if (match === null)
    throw new SluiceError('BAD_ARGUMENTS', `${where} must be 'scrypt:<salt in hex>:<hash in hex>'`);
  return { kind: 'scrypt', salt: Buffer.from(match[1]!, 'hex'), hash: Buffer.from(match[2]!, 'hex') };
}

export async function isPassword(secret: Secret, password: string): Promise<boolean> {
  if (secret.kind === 'none') return password === '';
  return timingSafeEqual(await derive(password, secret.salt), secret.hash);
}
