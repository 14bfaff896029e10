import { mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The tests of the commands once more, with the results of every project in PostgreSQL. */
export default mergeConfig(base, {
  test: {
    exclude: [
      // These choose their stores themselves, or refuse every connection.
      'packages/jurist/tests/{distributed,merge-repair,network,postgres,store}.test.ts',
      // The others run again where their commands use the store in a way of their own: they find, compare, export or remove
      // stored runs, add to one that is there (resume, label, merge, import once more), or end while they write. These store
      // no run, or one like any other, and look at something else. In a file of both kinds, `testOnce` is for these.
      'packages/jurist/tests/{config-schema,described-answers,described-vote,doors,failure-lines,fingerprints,flags}.test.ts',
      'packages/jurist/tests/{export-harbor,hook-feedback,import-git,import-harbor,import-promptfoo,import-swebench}.test.ts',
      'packages/jurist/tests/{bad-input,import-agent-eval,init-templates,isolation,json-schema,killed-code,uncaught-errors}.test.ts',
      'packages/jurist/tests/{judge,one-voice,report-formats,schema,subcommands,terminal}.test.ts',
      'packages/jurist/tests/{blame,calibrate-cascade,completion-shells,conversation,debug,described-agent}.test.ts',
      'packages/jurist/tests/{described-judge,evidence,green,guides,import-otlp,import-session,import-trace-directories}.test.ts',
      'packages/jurist/tests/{item-judges,models,output,output-files,progress-lines,resident-commands,rows,tools,watch}.test.ts',
    ],
    env: { JURIST_TEST_RESULTS: 'postgres' },
  },
})
