import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../tests/structure/source.js'

const command = join(root, 'packages/jurist/dist/command/main.js')
const guide = readFileSync(join(root, 'docs/guide/skills.md'), 'utf8')

test('a night of the scripted optimizer keeps words and no tickets learnt by heart, as the guide says', () => {
  const place = mkdtempSync(join(tmpdir(), 'jurist-overnight-'))
  try {
    const project = join(place, 'project')
    cpSync(join(root, 'examples/overnight'), project, { recursive: true })
    const bin = join(project, 'node_modules', '.bin', 'jurist')
    mkdirSync(join(bin, '..'), { recursive: true })
    writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`)
    chmodSync(bin, 0o755)
    writeFileSync(join(project, '.gitignore'), 'node_modules\nresults\n')
    const env = { ...process.env, HOME: join(place, 'home'), npm_config_update_notifier: 'false' }
    const run = (program: string, ...words: readonly string[]) =>
      execFileSync(program, words, { cwd: project, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    run('git', 'init', '--quiet')
    run('git', 'add', '.')
    run('git', '-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', 'commit', '--quiet', '-m', 'start')
    const words = /npx jurist (ratchet init .*)/.exec(guide)?.[1]?.split(' ') ?? []
    expect(run('npx', 'jurist', ...words)).toContain('320 items: 80 visible, 160 hidden, 80 in reserve (secret split).')
    const night = run(process.execPath, 'night.mjs')
    expect(night).toMatch(/say please: \d+ visible tickets right, not-asked, 5 looks left/)
    expect(night).toMatch(/learn tickets by heart: 80 visible tickets right, not-accepted, 4 looks left/)
    expect(night).toMatch(/words 1 to 6: \d+ visible tickets right, accepted, 3 looks left/)
    const report = run('npx', 'jurist', 'ratchet', 'report')
    expect(report).toMatch(/5 tries: 1 stopped at the visible items, 4 looks, [123] accepted/)
    expect(report).toMatch(/Gain on 80 items that decided nothing: \+\d/)
    expect(run('git', 'show', 'refs/jurist/ratchet/overnight:prompts/rules.md')).not.toContain('Ana: ')
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
