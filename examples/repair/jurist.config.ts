import { fileURLToPath } from 'node:url'
import { defineConfig } from 'jurist'
import { copyWorkspaces, openDataset } from 'jurist/experiment'
import { idle } from './agents/idle.js'
import { reference } from './agents/reference.js'
import { repair } from './agents/repair/repair.js'
import { repairJury, testCommand } from './judges.js'
import { availableSandbox } from './sandbox.js'

/**
 * Three agents on the same bugs, judged by tests that they have not seen:
 * `idle` is the floor, `reference` the ceiling, `repair` an agent in between.
 */
export default defineConfig({
  experiments: {
    repair: async () => {
      const dataset = await openDataset(fileURLToPath(new URL('dataset', import.meta.url)))
      const sandbox = await availableSandbox()
      return {
        dataset,
        agent: idle,
        variants: {
          idle: {},
          repair: { agent: repair({ command: testCommand }) },
          reference: { agent: reference(dataset) },
        },
        jury: repairJury,
        provision: copyWorkspaces({ sandbox }),
        conditions: { sandbox: sandbox.name },
        concurrency: 2,
        itemTimeoutMs: 600_000,
      }
    },
  },
})
