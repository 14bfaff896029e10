import { cascade, commandSucceeds, defineConfig, jury, testsPass } from 'jurist'
import { repair } from './agents/repair/repair.js'

/**
 * The repair agent on real bugs from other projects. Run with HUMANEVALPACK=DIR, a directory that
 * `examples/humanevalpack` made; the tiers are those of the config there.
 */
const directory = process.env.HUMANEVALPACK
if (directory === undefined)
  throw new Error('Set HUMANEVALPACK to the directory that examples/humanevalpack/main.ts made.')

const timeoutMs = 30_000
const visible = ['node', 'visible.test.js']
const hidden = { timeoutMs, overlay: { paths: ['hidden.test.js'] } }

const repaired = cascade([
  {
    name: 'loads',
    jury: jury({ judges: { syntax: commandSucceeds(['node', '--check', 'solution.js'], { timeoutMs }) } }),
    policy: 'reject-on-any-fail',
  },
  {
    name: 'visible',
    jury: jury({ judges: { tests: testsPass.command(visible, { timeoutMs }) } }),
    policy: 'reject-on-any-fail',
  },
  {
    name: 'hidden',
    jury: jury({ judges: { tests: testsPass.command(['node', 'hidden.test.js'], hidden) } }),
    policy: 'final',
  },
])

export default defineConfig({
  experiments: {
    humanevalpack: {
      dataset: directory,
      agent: repair({ command: visible, sources: ['solution.js'], mostMutants: 1_000 }),
      jury: repaired,
      concurrency: 2,
      itemTimeoutMs: 600_000,
    },
  },
})
