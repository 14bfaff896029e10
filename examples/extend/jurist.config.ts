import { defineConfig, fileExists, jury } from 'jurist'
import { readmeService } from './agent.js'
import { noTodo } from './judge.js'
import { withRules } from './provision.js'
import { lineReporter } from './reporter.js'
import { veto } from './vote.js'

export default defineConfig({
  experiments: {
    readmes: () => ({
      dataset: [
        { id: 'short', task: 'Write a short README.' },
        { id: 'long', task: 'Write a long README.' },
      ],
      agent: readmeService(process.env['README_SERVICE'] ?? 'http://127.0.0.1:8080'),
      jury: jury({
        judges: { done: noTodo('README.md'), readme: fileExists('README.md'), rules: fileExists('AGENTS.md') },
        vote: veto('done'),
      }),
      provision: withRules('Write plain English.'),
    }),
  },
  reporters: [lineReporter(console.error)],
})
