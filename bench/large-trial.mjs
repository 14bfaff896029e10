import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTree } from './judge-copies.mjs'
import { alternate, median, root, row, seconds, time, times, withDirectory } from './measure.mjs'

const config = `import { commandSucceeds, completed, consensus, fileExists, jury } from 'jurist'
const experiments = {
  large: {
    dataset: 'dataset',
    agent: async ({ workspace }) => {
      for (let file = 0; file < 5; file++) await workspace.write(\`folder-\${file}/file-0.txt\`, 'changed')
      return completed('done')
    },
    jury: jury({ judges: { command: commandSucceeds('test -f folder-0/file-0.txt'), file: fileExists('folder-1/file-0.txt') }, vote: consensus() }),
    preserveWorkspaces: 'all',
  },
}
export default { experiments }
`

/** What does a trial in a repository of 10,000 files take beside one copy of it, and what does it keep? */
export function largeTrial() {
  return withDirectory(async (directory) => {
    const item = join(directory, 'dataset/items/large')
    mkdirSync(item, { recursive: true })
    makeTree(join(item, 'before'))
    writeFileSync(join(item, 'item.json'), '{}')
    writeFileSync(join(item, 'task.md'), 'Change five files.')
    writeFileSync(
      join(directory, 'dataset/dataset.json'),
      JSON.stringify({
        schemaVersion: 1,
        name: 'large',
        version: '1.0.0',
        items: [{ id: 'large', path: 'items/large' }],
      }),
    )
    writeFileSync(join(directory, 'jurist.config.mjs'), config)
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    let copies = 0
    const command = [process.execPath, join(root, 'packages/jurist/dist/command/main.js'), 'run']
    const [runs, copied] = alternate([
      () => time(command, { cwd: directory }).elapsedMs,
      () => time(['cp', '-r', join(item, 'before'), join(directory, `copy-${copies++}`)]).elapsedMs,
    ])
    const [ours, theirs] = [median(runs), median(copied)]
    const kept = Number(time(['du', '-sm', join(directory, 'results')]).stdout.split('\t')[0]) / (runs.length + 1)
    return [
      row(
        'a trial in a repository of 10,000 files, a judge that runs a command, whole process, beside `cp -r`',
        `${seconds(ours)}, ${times(ours / theirs)} (${seconds(theirs)}), keeps ${kept.toFixed(1)} MB`,
        'at most 2.5 ×',
        ours / theirs <= 2.5,
      ),
    ]
  })
}
