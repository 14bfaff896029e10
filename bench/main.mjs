// npm run bench [-- NAME …]: asks every question, or those named, and prints one table.
import { bisect } from './bisect.mjs'
import { compare, million } from './compare.mjs'
import { comparison } from './comparison.mjs'
import { database } from './database.mjs'
import { egress } from './egress.mjs'
import { hookStop } from './hook-stop.mjs'
import { intervalCoverage } from './interval-coverage.mjs'
import { items, latency } from './items.mjs'
import { journal } from './journal.mjs'
import { judgeCopies } from './judge-copies.mjs'
import { largeTrial } from './large-trial.mjs'
import { lift } from './lift.mjs'
import { machine } from './measure.mjs'
import { merge } from './merge.mjs'
import { nullComparison } from './null-comparisons.mjs'
import { oneFile } from './one-file.mjs'
import { queue } from './queue.mjs'
import { ratchet } from './ratchet.mjs'
import { scan } from './scan.mjs'
import { sequential } from './sequential.mjs'
import { site } from './site.mjs'
import { startUp } from './start-up.mjs'
import { trueRates } from './true-rates.mjs'
import { vetting } from './vetting.mjs'
import { viewer } from './viewer.mjs'
import { workers } from './workers.mjs'

const questions = {
  'start-up': startUp,
  'hook-stop': hookStop,
  items,
  latency,
  'judge-copies': judgeCopies,
  'large-trial': largeTrial,
  comparison,
  compare,
  million,
  merge,
  database,
  queue,
  workers,
  'interval-coverage': intervalCoverage,
  'null-comparisons': nullComparison,
  lift,
  bisect,
  ratchet,
  sequential,
  'true-rates': trueRates,
  viewer,
  journal,
  scan,
  egress,
  'one-file': oneFile,
  site,
  vetting,
}
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in questions))
if (unknown.length > 0) {
  console.error(`There is no question ${unknown.join(', ')}. There are: ${Object.keys(questions).join(', ')}.`)
  process.exit(2)
}

const rows = []
for (const [name, ask] of Object.entries(questions))
  if (asked.length === 0 || asked.includes(name)) rows.push(...(await ask()))

console.log(`${machine()}\n`)
console.log('| what | measured | must reach | reached |\n|---|---|---|---|')
for (const { question, figure, target, reached } of rows)
  console.log(`| ${question} | ${figure} | ${target} | ${reached ? 'yes' : 'NO'} |`)
process.exitCode = rows.every(({ reached }) => reached) ? 0 : 1
