import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { SluiceError } from '../../base/index.ts';
import { brandedHeader } from '../brands.ts';
import type { RequestState, ServerContext } from '../context.ts';

interface Credentials {
  readonly name: string;
  readonly password: string;
}

function basicCredentials(header: string): Credentials {
  const match = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header);
  const text = match === null ? '' : Buffer.from(match[1]!, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (match === null || colon < 0) {
    throw new SluiceError(
      'AUTHENTICATION_FAILED',
      "The Authorization header is not understood: expected 'Basic ' and base64 of user:password",
    );
  }
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Who the request says it comes from: Basic authentication, branded headers or URL parameters; else `default`. */
function credentialsOf(headers: IncomingHttpHeaders, url: URLSearchParams | null): Credentials {
  if (headers.authorization !== undefined) return basicCredentials(headers.authorization);
  const user = brandedHeader(headers, 'user');
  if (user !== undefined) return { name: user, password: brandedHeader(headers, 'key') ?? '' };
  const name = url?.get('user');
  if (name) return { name, password: url?.get('password') ?? '' };
  return { name: 'default', password: '' };
}

/** Lets known users through and answers 401 to everybody else. */
export function authenticate(server: ServerContext): Middleware<RequestState> {
  return async (context, next) => {
    const { headers } = context.req;
    const search = context.querystring;
    const credentials = credentialsOf(headers, search.includes('user=') ? new URLSearchParams(search) : null);
    const { name, password } = credentials;
    const { users } = server.engine;
    context.state.user = users.known(name, password) ?? (await users.authenticate(name, password));
    await next();
  };
}
