import { execFileSync } from 'node:child_process'
import { type Project, project } from '../../project.js'

/** Each trial draws its own luck, so that the same trial always ends alike: a rate in `rate.mjs` decides how many pass. */
export const config = `import { completed, defineConfig, fileExists } from 'jurist'
import { rate } from './rate.mjs'
let calls = 0
const lucky = (id) => { let hash = 7 + calls++; for (const one of id + calls) hash = (hash * 48271 + one.charCodeAt(0)) % 2147483647; return (hash * 16807 % 2147483647) / 2147483647 }
const agent = async ({ workspace, metadata }) => {
  if (metadata.itemId === 'stable' || lucky(metadata.itemId) < rate) await workspace.write('note.txt', 'note')
  return completed({ output: 'done', costUsd: 0.01 })
}
export default defineConfig({
  experiments: { demo: { dataset: [{ id: 'falls', task: 'Do it' }, { id: 'stable', task: 'Do it' }], agent, jury: fileExists('note.txt') } },
})
`

/** A repository with a commit for each rate; the first and the last have the tags `good` and `bad`. */
export function repository(
  rates: readonly (number | string)[],
  subjects: readonly string[] = rates.map((_, place) => `commit ${place}`),
): {
  readonly made: Project
  readonly git: (...args: string[]) => string
} {
  const made = project({ '.gitignore': 'results\nnode_modules\n', 'rate.mjs': '' })
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], {
      cwd: made.directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  git('init', '--quiet', '--initial-branch=main')
  for (const [place, rate] of rates.entries()) {
    made.write({
      'rate.mjs': rate === 'broken' ? `throw new Error('half done')\n` : `export const rate = ${rate} // ${place}\n`,
    })
    git('add', '.gitignore', 'rate.mjs')
    git('commit', '--quiet', '-m', subjects[place] ?? '')
    if (place === 0) git('tag', 'good')
  }
  git('tag', 'bad')
  made.write({ 'jurist.config.ts': config })
  return { made, git }
}
