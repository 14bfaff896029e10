import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
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

/** A directory for the counts of each kind of tests, asked for by the continuous integration. */
const reports = process.env.JURIST_TEST_REPORTS

type InlineConfig = ViteUserConfig['test']

const modules = '**/node_modules/**'

/** One after the other: each takes the processors for itself. */
const alone = { fileParallelism: false, hookTimeout: 600_000, reporters: ['verbose'] }

/** What differs from `npm test`, by the mode that the scripts of package.json give to Vitest. */
const kinds: Readonly<Record<string, InlineConfig>> = {
  /** The tests that `npm test` leaves out. */
  long: { include: [...longTests], exclude: [modules] },
  /** The tests of the commands once more, with the results of every project in PostgreSQL. */
  postgres: {
    exclude: [
      modules,
      '**/fixtures/**',
      ...longTests,
      // These choose their stores themselves, or refuse every connection.
      'packages/jurist/tests/**/{network,store}.test.ts',
      // The others run again where their commands use the store in a way of their own: they find, compare, export or remove
      // stored runs, add to one that is there (resume, label, merge, import once more), or end while they write. These store
      // no run, or one like any other, and look at something else. In a file of both kinds, `testOnce` is for these.
      'packages/jurist/tests/**/{config-schema,described-answers,described-vote,doors,failure-lines,fingerprints,flags}.test.ts',
      'packages/jurist/tests/**/hook-feedback.test.ts',
      'packages/import/tests/export/export-harbor.test.ts',
      'packages/jurist/tests/**/{bad-input,isolation,killed-code,uncaught-errors}.test.ts',
      'packages/jurist/tests/**/{judge,one-voice,report-formats,schema,subcommands,terminal}.test.ts',
      'packages/jurist/tests/**/{certify,compiled-config,completion-shells,conversation,debug,described-agent}.test.ts',
      'packages/jurist/tests/**/{described-judge,evidence,green,guides}.test.ts',
      'packages/jurist/tests/**/{doctor,item-judges,models,output,output-files,progress-lines,resident-commands,rows,tools,watch,widths}.test.ts',
    ],
    env: { npm_config_user_agent: '', JURIST_TEST_RESULTS: 'postgres' },
  },
  /** The built packages in other JavaScript runtimes, 200 MB from the registry. */
  runtimes: { include: ['tests/runtimes/*.runtimes.ts'] },
  /** Judges and sandboxes against the tools of the machine, which download. */
  toolchains: {
    ...alone,
    include: ['tests/toolchains/*.toolchain.ts'],
    globalSetup: ['tests/toolchains/kit/install.ts'],
    setupFiles: [],
    isolate: true,
    env: {},
  },
  /** Real coding agents, driven by a scripted model on the loopback: hundreds of megabytes in the user's cache directory. */
  agents: {
    ...alone,
    include: ['tests/agents/*.agents.ts'],
    globalSetup: ['tests/agents/kit/install.ts'],
    setupFiles: [],
    isolate: true,
    env: {},
    testTimeout: 120_000,
  },
}

export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      ...doors,
      { find: '#calibration-host', replacement: `${root}packages/experiment/src/calibrate/host-node.ts` },
    ],
  },
  test: {
    include: [
      'packages/*/{tests,frameworks}/**/*.test.ts',
      '{tests,site}/**/*.test.ts',
      'examples/*/{,tests/}*.test.ts',
    ],
    exclude: [modules, '**/fixtures/**', ...longTests],
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
    reporters: reports === undefined ? ['default'] : ['default', ['json', { outputFile: `${reports}/${mode}.json` }]],
    coverage: { provider: 'v8', include: ['packages/*/src/**'] },
    ...kinds[mode],
  },
}))
