import { spawn } from 'node:child_process';
import type { ExecutionContext } from 'ava';
import { until } from '../http/support.ts';

/** What a run of curl gave: its output and its exit code. */
export interface Curled {
  readonly code: number | null;
  readonly output: string;
  readonly bytes: Buffer;
  readonly problems: string;
}

/** A run of curl whose output is read as it comes. */
export class CurlProcess {
  readonly chunks: Buffer[] = [];
  readonly ended: Promise<Curled>;
  readonly #child: ReturnType<typeof spawn>;

  constructor(t: ExecutionContext, args: readonly string[], input: string | Buffer = '') {
    // The first argument keeps a configuration of the user out.
    this.#child = spawn('curl', ['-q', '--silent', '--show-error', '--max-time', '30', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = this.#child;
    let problems = '';
    stdout?.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    stderr?.on('data', (chunk: Buffer) => {
      problems += chunk.toString();
    });
    stdin?.on('error', () => {});
    stdin?.end(input);
    this.ended = new Promise((done, failed) => {
      this.#child.once('error', failed);
      this.#child.once('close', (code) => {
        const bytes = Buffer.concat(this.chunks);
        done({ code, output: bytes.toString(), bytes, problems });
      });
    });
    t.teardown(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  get lines(): string[] {
    return Buffer.concat(this.chunks).toString().split('\n').slice(0, -1);
  }

  /** The first lines, when so many have come. */
  async take(count: number): Promise<string[]> {
    await until(`curl prints ${count} lines`, () => this.lines.length >= count);
    return this.lines.slice(0, count);
  }
}

/** Runs curl to its end. */
export function curl(
  t: ExecutionContext,
  args: readonly string[],
  input: string | Buffer = '',
): Promise<Curled> {
  return new CurlProcess(t, args, input).ended;
}

/** The output of a run of curl that has to succeed with status 200. */
export async function curlOk(
  t: ExecutionContext,
  args: readonly string[],
  input: string | Buffer = '',
): Promise<string> {
  const { code, output, problems } = await curl(t, ['--fail-with-body', ...args], input);
  if (code !== 0) throw new Error(`curl ${args.join(' ')} ended with ${code}: ${problems}${output}`);
  return output;
}
