/**
 * Tries mutants of a program, one after the other in a thread that lives on, because starting a process takes longer
 * than most tests do. Reads from standard input
 *
 *     { tests: [path], mutants: [{ [path]: text }], instrumented: boolean, limitMs: number,
 *       mostTurns: number }
 *
 * with paths relative to the working directory, and prints a line of JSON for each mutant that was tried, up to the
 * first that passes:
 *
 *     { index: 0, passed: [test], failed: [test], problem?: text, turns?: number, hits?: { [test]: [number] } }
 *
 * `load` is the name for what is no test of its own. In a loop a test may turn `mostTurns` times. A mutant that
 * runs longer than `limitMs` loses its thread; the next one gets a new thread.
 */
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'

const { mutants, limitMs, ...common } = JSON.parse(await text(process.stdin))
const thread = threads()

for (const [index, mutant] of mutants.entries()) {
  const outcome = await thread.run({ ...common, mutant })
  process.stdout.write(`${JSON.stringify({ index, ...outcome })}\n`)
  if (outcome.failed.length === 0) break
}
thread.end()

/** What is known of a mutant that took its thread with it. */
function lostTo(problem) {
  return { passed: [], failed: ['load'], problem, lost: true }
}

/** A thread that is replaced when it hangs or dies. */
function threads() {
  let worker
  let settle
  function start() {
    const started = new Worker(new URL('./mutant-thread.mjs', import.meta.url), {
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      stdout: true,
      stderr: true,
    })
    const lose = (problem) => started === worker && settle(lostTo(problem))
    started.on('message', (outcome) => started === worker && settle(outcome))
    started.on('error', (error) => lose(String(error?.message ?? error)))
    started.on('exit', (code) => lose(`the thread ended with ${code}`))
    return started
  }
  function end() {
    void worker?.terminate()
    worker = undefined
  }
  return {
    end,
    async run(job) {
      worker ??= start()
      const { lost, ...outcome } = await new Promise((resolve) => {
        const timer = setTimeout(() => settle(lostTo('timed out')), limitMs)
        settle = (value) => {
          clearTimeout(timer)
          resolve(value)
        }
        worker.postMessage(job)
      })
      if (lost) end()
      return outcome
    },
  }
}
