/**
 * A Vitest reporter that writes a Jurist run, so that `jurist show` and `jurist view` show the tests with their verdicts.
 *
 * @example
 * // vitest.config.ts
 * import { defineConfig } from 'vitest/config'
 *
 * export default defineConfig({ test: { reporters: ['default', ['@jurist/vitest/reporter', { store: 'results' }]] } })
 */

import { isAbsolute, relative, resolve } from 'node:path'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import type { ItemResult } from '@jurist/experiment/result'
import { fileStore, type ResultStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { itemOfTest } from './item.js'
import { runOf } from './run.js'

/** The options of the reporter. */
interface JuristReporterOptions {
  /** A results directory, relative to the root of Vitest, or a store. Default `results`. */
  readonly store?: string | ResultStore
  /** The name of the experiment. Default `vitest`. */
  readonly name?: string
}

const optionRules: { readonly [name in keyof Required<JuristReporterOptions>]: OptionRule } = {
  store: {
    wants: 'a directory or a store',
    holds: (value) => (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null),
  },
  name: option.string,
}

/**
 * Creates the reporter. Each test becomes a trial: its file is the bucket, Vitest's result the outcome, and the results
 * of judges and juries the verdict. A skipped test is undecided; a file that could not be loaded is a separate failed
 * trial. List the reporter after Vitest's own to keep their output. It prints the id of the run to stderr.
 *
 * @throws `option-invalid`
 *
 * @example
 * import juristReporter from '@jurist/vitest/reporter'
 * import { defineConfig } from 'vitest/config'
 *
 * export default defineConfig({
 *   test: { reporters: ['default', juristReporter({ store: 'results', name: 'agent-tests' })] },
 * })
 */
export default function juristReporter(options?: JuristReporterOptions): Reporter {
  const { store = 'results', name = 'vitest' } = checkOptions('juristReporter', options, optionRules)
  let vitest: Pick<Vitest, 'version' | 'config'> | undefined
  let startedMs = Date.now()
  return {
    onInit(given) {
      vitest = given
    },
    onTestRunStart() {
      startedMs = Date.now()
    },
    async onTestRunEnd(modules, _errors, reason) {
      const root = vitest?.config.root ?? process.cwd()
      const items = modules.flatMap((module) => itemsOf(module, root))
      const status = reason === 'interrupted' ? 'interrupted' : 'completed'
      const version = vitest?.version ?? 'unknown'
      const run = runOf({ name, items, status, startedMs, endedMs: Date.now(), vitest: version })
      const target = typeof store === 'string' ? fileStore(resolve(root, store)) : store
      await target.save(run)
      process.stderr.write(
        `Jurist run ${run.id} (${items.length} ${items.length === 1 ? 'test' : 'tests'}). Show it with: ${commandLine('show', run.id)}\n`,
      )
    },
  }
}

function itemsOf(module: TestModule, root: string): readonly ItemResult[] {
  const file = isAbsolute(module.moduleId) ? relative(root, module.moduleId) : module.moduleId
  const project = module.project.name
  const tests = [...module.children.allTests()].map((test) =>
    itemOfTest({ file, project, fullName: test.fullName, ...factsOf(test) }),
  )
  const errors = module.errors().map(({ message }) => message)
  if (errors.length === 0) return tests
  const outcome = { state: 'failed', errors, durationMs: 0 } as const
  const broken = { file, project, fullName: 'the file', outcome, startedMs: Date.now(), answers: [], retries: 0 }
  return [itemOfTest(broken), ...tests]
}

function factsOf(test: TestCase) {
  const { state, errors = [] } = test.result()
  const { duration = 0, startTime = Date.now(), retryCount = 0 } = test.diagnostic() ?? {}
  const { jurist = [] } = test.meta()
  const outcome = { state, errors: errors.map(({ message }) => message), durationMs: duration }
  return { outcome, startedMs: Math.round(startTime), answers: jurist, retries: retryCount }
}
