#!/usr/bin/env node
import { readFileSync } from 'node:fs'

const argv = process.argv.slice(2)
if (argv.includes('--version')) {
  // Answered before anything else is loaded, since scripts use it often.
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  process.stdout.write(`${JSON.parse(manifest).version}\n`)
} else if (argv[0] === '__complete') {
  // Loads little, since a shell asks while the user types.
  const { answerShell } = await import('./complete.js')
  await answerShell(argv.slice(1))
} else {
  const { runProgram } = await import('./program.js')
  await runProgram(argv)
}
