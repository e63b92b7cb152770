#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Compiled code is kept between starts, in the directory for temporary files; it has to be asked for before the rest loads.
enableCompileCache();
const { runCommand } = await import('./server/index.ts');
await runCommand(process.argv.slice(2));
