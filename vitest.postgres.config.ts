import { mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The tests of the commands once more, with the results of every project in PostgreSQL. */
export default mergeConfig(base, {
  test: {
    exclude: [
      // These choose their stores themselves, or refuse every connection.
      'packages/jurist/tests/{distributed,merge-repair,network,postgres,store}.test.ts',
      // These store and read no results, or one run that is like any other: they would cost a third of the time for nothing.
      'packages/jurist/tests/{config-schema,described-answers,described-vote,doors,failure-lines,fingerprints,flags}.test.ts',
      'packages/jurist/tests/{export-harbor,hook-feedback,import-git,import-harbor,import-promptfoo,import-swebench}.test.ts',
      'packages/jurist/tests/{bad-input,import-agent-eval,init-templates,isolation,json-schema,killed-code,uncaught-errors}.test.ts',
      'packages/jurist/tests/{judge,one-voice,report-formats,schema,subcommands,terminal}.test.ts',
    ],
    env: { JURIST_TEST_RESULTS: 'postgres' },
  },
})
