import { readFileSync } from 'node:fs'
import { probes } from '@jurist/vet'
import { expect, test } from 'vitest'

const guide = readFileSync(new URL('../../../docs/guide/vetting.md', import.meta.url), 'utf8')

test('the guide lists every probe as it is declared', () => {
  const [, section = ''] = guide.split('### The probes\n')
  const table = probes.map(({ name, what }) => `| \`${name}\` | ${what} |`).join('\n')
  expect(section).toContain(`| probe | what it does |\n|---|---|\n${table}\n`)
})
