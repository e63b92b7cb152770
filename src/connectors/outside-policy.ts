import dns from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SluiceError } from '../base/index.ts';

/** Addresses of the machine's own surroundings that hand out secrets to whoever asks, such as those of clouds. */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
linkLocal.addAddress('fd00:ec2::254', 'ipv6');

/** Which hosts queries may have the server speak to. */
export class OutsidePolicy {
  readonly #hosts: readonly string[] | 'any';

  /** `any`, `none`, or names of hosts with commas between them; `*.example.com` stands for all names below. */
  constructor(setting: string) {
    const text = setting.trim().toLowerCase();
    if (text === 'any') this.#hosts = 'any';
    else if (text === 'none' || text === '') this.#hosts = [];
    else this.#hosts = text.split(',').map((host) => host.trim());
  }

  /** Throws ACCESS_DENIED for a host that may not be spoken to. `host` has no port and no brackets. */
  assertHost(host: string, port: string): void {
    if (this.#hosts === 'any') return;
    const name = host.toLowerCase();
    const allowed = this.#hosts.some(
      (known) =>
        known === name ||
        known === `${name}:${port}` ||
        (known.startsWith('*.') && name.endsWith(known.slice(1))),
    );
    if (allowed) return;
    const why =
      this.#hosts.length === 0
        ? 'the server is not allowed to reach any host'
        : 'it is not among the hosts that the server may reach';
    throw new SluiceError('ACCESS_DENIED', `Host '${host}' is refused: ${why} (--outside-hosts)`);
  }

  /** Throws ACCESS_DENIED for an address that a host has turned out to have, unless it is named itself. */
  assertAddress(host: string, address: string): void {
    if (this.#hosts !== 'any' && this.#hosts.includes(host.toLowerCase())) return;
    const family = isIP(address);
    // Addresses of IPv4 in the clothes of IPv6 are known for what they are.
    if (family !== 0 && linkLocal.check(address, family === 6 ? 'ipv6' : 'ipv4')) {
      throw new SluiceError(
        'ACCESS_DENIED',
        `Host '${host}' is refused: its address ${address} is link-local, where clouds keep credentials; name it in --outside-hosts to allow it`,
      );
    }
  }

  /** Looks a name up, and refuses the address that is then connected to: asking twice could give two answers. */
  lookup(host: string): LookupFunction {
    return (name, options, callback) => {
      dns.lookup(name, options, (error, address, family) => {
        if (error !== null) {
          callback(error, address as string, family);
          return;
        }
        try {
          for (const each of Array.isArray(address) ? address : [{ address }])
            this.assertAddress(host, each.address as string);
          callback(null, address as string, family);
        } catch (thrown) {
          callback(thrown as NodeJS.ErrnoException, '', 4);
        }
      });
    };
  }
}
