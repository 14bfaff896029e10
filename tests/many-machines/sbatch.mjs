#!/usr/bin/env node
// A stand-in for Slurm's command: it runs a script immediately, each task of an array as a separate process, and prints the id
// of the job. As Slurm, it runs a copy of the script from elsewhere, with the options in its first comments.
import { spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const given = process.argv.slice(2)
const at = given.findIndex((word) => !word.startsWith('--'))
const [script, ...args] = given.slice(at)
const written = Array.from(readFileSync(script, 'utf8').matchAll(/^#SBATCH (--.*)$/gm), ([, option]) => option)
const options = Object.fromEntries(
  [...written, ...given.slice(0, at)].map((option) => {
    const [name, value = ''] = option.slice(2).split(/=(.*)/)
    return [name, value]
  }),
)
appendFileSync('sbatch.log', `${JSON.stringify({ script, args, options })}\n`)

const job = String(4710 + readFileSync('sbatch.log', 'utf8').split('\n').length)
const spool = mkdtempSync(join(tmpdir(), 'sbatch-'))
const spooled = join(spool, 'slurm_script')
copyFileSync(script, spooled)

const [first, last] = (options.array ?? '').split('-').map(Number)
const tasks = last === undefined ? [undefined] : Array.from({ length: last - first + 1 }, (_, index) => first + index)
const codes = await Promise.all(tasks.map(run))
rmSync(spool, { recursive: true })
console.log(options.parsable === undefined ? `Submitted batch job ${job}` : job)
// Slurm does not wait; the test asks how the jobs ended.
appendFileSync('sbatch.log', `${JSON.stringify({ script, codes })}\n`)

function run(task) {
  const log = createWriteStream(options.output.replace('%A', job).replace('%j', job).replace('%a', String(task)))
  const array = {
    SLURM_ARRAY_JOB_ID: job,
    SLURM_ARRAY_TASK_ID: String(task),
    SLURM_ARRAY_TASK_COUNT: String(tasks.length),
    SLURM_ARRAY_TASK_MIN: String(first),
    SLURM_ARRAY_TASK_MAX: String(last),
    SLURM_ARRAY_TASK_STEP: '1',
  }
  const own = {
    SLURM_JOB_ID: job,
    SLURM_SUBMIT_DIR: process.cwd(),
    SLURM_CPUS_PER_TASK: options['cpus-per-task'] ?? '1',
  }
  const env = { ...process.env, ...own, ...(task === undefined ? {} : array) }
  return new Promise((resolve) => {
    const child = spawn('bash', [spooled, ...args], { cwd: tmpdir(), env })
    for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
    child.on('close', (code) => log.end(() => resolve(code)))
  })
}
