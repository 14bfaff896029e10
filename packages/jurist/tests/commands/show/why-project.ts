import { type Project, project } from '../../project.js'

const config = `
import { defineConfig, fileContent } from 'jurist'
let id = 0
export default defineConfig({
  experiments: {
    mine: {
      dataset: ['lost', 'untried', 'good', 'unknown'].map((id) => ({ id, task: id })),
      jury: fileContent('a.txt', { contains: 'right' }),
      async agent(task) {
        const name = task.prompt.trim()
        const call = (tool, input, failed = false) => {
          id += 1
          task.record({ type: 'tool-call', id: String(id), name: tool, input })
          task.record({ type: 'tool-result', id: String(id), failed, content: failed ? 'ENOENT: package.json' : 'ok' })
        }
        if (name === 'lost') for (let index = 0; index < 3; index += 1) call('Bash', { command: 'npm test' }, true)
        if (name === 'untried') call('Write', { file_path: 'a.txt', content: 'wrong' })
        await task.workspace.write('a.txt', name === 'good' ? 'right' : 'wrong')
        return { status: 'completed', output: 'Done.' }
      },
    },
  },
})
`

/** Makes a project with trials that fail by the doing of their agents, one that fails for no known reason, and one that passes. */
export function whyProject(): Project {
  return project({ 'jurist.config.ts': config })
}
