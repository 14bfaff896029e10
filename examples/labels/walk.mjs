import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { person } from './person.mjs'

const directory = import.meta.dirname
// node walk.mjs [the command jurist]
const [command = join(createRequire(import.meta.url).resolve('jurist/package.json'), '../bin/jurist.js')] =
  process.argv.slice(2)
const certificate = 'certificates/parcels.json'

function jurist(...argv) {
  process.stdout.write(`\n$ jurist ${argv.join(' ')}\n`)
  const { status } = spawnSync(process.execPath, [command, ...argv], { cwd: directory, stdio: 'inherit' })
  if (status !== 0) process.exitCode = status ?? 1
}

async function label(...argv) {
  process.stdout.write(`\n$ jurist label ${argv.join(' ')}\n`)
  const keys = await person([process.execPath, command, 'label', ...argv], { cwd: directory })
  process.stdout.write(`${keys} labels\n`)
}

// The expensive model judges everything.
jurist('run', 'always')

// A person labels sixty answers.
await label('always', '--by', 'ana', '--sample', '60')

// How good is the expensive model?
jurist('calibrate', '--run', 'always', '--all')

// At which threshold may the cascade decide?
jurist('calibrate', 'parcels', '--certify', '--run', 'always', '--certificate', certificate)

// The certified cascade judges the same answers, and files what it leaves to people.
jurist('run', 'certified', '--require-certificate', certificate)

// The person labels these, and the labels decide.
await label('certified', '--by', 'ana', '--queue', 'queue.jsonl')
jurist('rejudge', 'certified')
