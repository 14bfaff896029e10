import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate, median, milliseconds, root, row, time, withDirectory } from './measure.mjs'

const configs = {
  YAML: ['jurist.config.yaml', 'juries:\n  done: { type: file-content, path: README.md, matches: "^# \\\\w" }\n'],
  TypeScript: [
    'jurist.config.ts',
    `import { defineConfig, fileContent } from 'jurist'
export default defineConfig({ juries: { done: fileContent('README.md', { matches: /^# \\w/ }) } })
`,
  ],
}

/** How long does a coding agent wait for `jurist hook stop` with a judge that reads one file, start of the command included? */
export async function hookStop() {
  const rows = []
  for (const [language, [file, text]] of Object.entries(configs))
    rows.push(await withDirectory((directory) => judged(language, directory, file, text)))
  return rows
}

function judged(language, directory, file, text) {
  writeFileSync(join(directory, file), text)
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  writeFileSync(join(directory, '.gitignore'), 'node_modules\nhome\nresults\n')
  for (const words of [['init'], ['add', '.'], ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-m', 'first']])
    spawnSync('git', words, { cwd: directory })
  const command = [process.execPath, join(root, 'packages/jurist/dist/command/main.js'), 'hook']
  const env = { ...process.env, HOME: join(directory, 'home') }
  const input = JSON.stringify({ session_id: 'bench', cwd: directory, hook_event_name: 'Stop' })
  const hook = (moment) => time([...command, moment, '--max', '8'], { cwd: directory, env, input })
  hook('start')
  if (hook('stop').stdout.trim() === '{}') throw new Error('Nothing was judged.')
  const [waits] = alternate([() => hook('stop').elapsedMs], 11)
  const whole = median(waits)
  return row(
    `\`jurist hook stop\`, a judge of one file, config in ${language}`,
    milliseconds(whole),
    'at most 300 ms',
    whole <= 300,
  )
}
