import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { longTests } from './tests/structure/long-tests.js'
import { SlowestFirst } from './tests/structure/slowest-first.js'

const root = fileURLToPath(new URL('.', import.meta.url))

/** Every door of every package, mapped from what is published to the source it is built from. */
const doors = readdirSync(`${root}packages`).flatMap((directory) => {
  const manifest = JSON.parse(readFileSync(`${root}packages/${directory}/package.json`, 'utf8'))
  return Object.entries(manifest.exports as Record<string, { default?: string }>).flatMap(([door, target]) =>
    target.default === undefined
      ? []
      : [
          {
            find: new RegExp(`^${manifest.name}${door.slice(1)}$`),
            replacement: `${root}packages/${directory}/${target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`,
          },
        ],
  )
})

/** A file for the counts, asked for by the continuous integration. */
const report = process.env.JURIST_TEST_REPORT

export default defineConfig({
  resolve: {
    alias: [
      ...doors,
      { find: '#calibration-host', replacement: `${root}packages/experiment/src/calibrate/host-node.ts` },
    ],
  },
  test: {
    include: ['packages/*/{tests,frameworks}/**/*.test.ts', 'tests/**/*.test.ts', 'site/tests/*.test.ts'],
    exclude: ['**/node_modules/**', '**/fixtures/**', ...longTests],
    globalSetup: ['tests/postgres/global-setup.ts', 'tests/structure/working-directory.ts'],
    setupFiles: ['tests/structure/enter-working-directory.ts', 'tests/structure/end-with-main.ts'],
    // Messages propose commands as the command itself was started. What starts the tests does not count.
    env: { npm_config_user_agent: '' },
    // Test files of a worker share the modules that they load: reading them again for each file took a fifth of the time.
    // A test that changes what others see (variables, listeners, the working directory) puts it back.
    isolate: false,
    // Many tests wait for processes, so three workers more than cores keep these busy.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: SlowestFirst },
    // These end a test that hangs. No test may depend on how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    coverage: { provider: 'v8', include: ['packages/*/src/**'] },
  },
})
