import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import { readOptions, startServer } from '../../src/server/index.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

/* Runs the README's tour: every block of commands in order, and where a block of text follows, what they print. */

const root = resolve(import.meta.dirname, '../..');

interface Step {
  readonly commands: string;
  readonly background: boolean;
  readonly expected: string | null;
}

function tourSteps(): Step[] {
  const text = readFileSync(resolve(root, 'README.md'), 'utf8');
  const tour = text.slice(text.indexOf('## A tour'), text.indexOf('## As a library'));
  const blocks = Array.from(tour.matchAll(/```(\w+)( background)?\n([\s\S]*?)```/g), (match) => ({
    language: match[1]!,
    background: match[2] !== undefined,
    body: match[3]!,
  }));
  const steps: Step[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.language !== 'sh') continue;
    const following = blocks[index + 1];
    steps.push({
      commands: block.body,
      background: block.background,
      expected: following?.language === 'text' ? following.body : null,
    });
  }
  return steps;
}

function run(commands: string): Promise<string> {
  return new Promise((done, reject) => {
    execFile(
      'bash',
      ['-c', `set -euo pipefail\n${commands}`],
      { cwd: root, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        if (error === null) done(stdout);
        else reject(new Error(`${commands}\n${stderr}`));
      },
    );
  });
}

function ended(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((done) => child.once('close', () => done(output)));
}

test('every command of the tour does what the README says', async (t) => {
  t.timeout(60_000);
  const options = readOptions(
    ['--http-port', '0', '--native-port', 'off', '--data-dir', temporaryDirectory(t)],
    {},
  );
  const server = await startServer(options, () => {});
  t.teardown(() => server.close());
  const here = (commands: string) =>
    commands.replaceAll('localhost:8123', `localhost:${server.ports.http}`).replaceAll('curl ', 'curl -sS ');
  const steps = tourSteps();
  t.true(steps.length > 8);
  let waiting: Promise<string> | null = null;
  for (const { commands, background, expected } of steps) {
    if (background) {
      waiting = ended(spawn('bash', ['-c', here(commands)], { cwd: root }));
      while (!server.database.engine.processes.list.some((process) => process.text.includes('FROM flights')))
        await new Promise((next) => setImmediate(next));
      continue;
    }
    const output = await run(here(commands));
    t.false(output.includes('"exception"'), `${commands}\n${output}`);
    if (expected === null) continue;
    if (waiting !== null) {
      t.is(await waiting, expected);
      waiting = null;
    } else if (expected !== '') {
      // A view works beside the statement that fed it, so what it wrote may come a moment later.
      let actual = output;
      for (let tries = 0; actual !== expected && tries < 200; tries++) actual = await run(here(commands));
      t.is(actual, expected, commands);
    }
  }
});

test('the example of the library does what it says', async (t) => {
  const text = readFileSync(resolve(root, 'README.md'), 'utf8');
  const example = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const directory = await temporaryDirectory(t);
  const output = await new Promise<string>((done, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', example.replace("'./data'", JSON.stringify(directory))],
      { cwd: root },
      (error, stdout) => (error === null ? done(stdout) : reject(error)),
    );
  });
  t.is(output, "{ page: '/', n: 1 }\n");
});
