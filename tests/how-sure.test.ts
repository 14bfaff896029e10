import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drawings, tables } from './structure/how-sure.js'
import { root } from './structure/source.js'

const guide = readFileSync(join(root, 'docs/guide/how-sure.md'), 'utf8')

// `npx vitest run tests/how-sure.test.ts -u` draws them again.
test.each(Object.entries(drawings))(
  '%s is what the library computes, and has a text alternative',
  async (name, svg) => {
    await expect(svg).toMatchFileSnapshot(join(root, 'docs/pictures', name))
    expect(svg).toMatch(/<desc id="description">[^<]{80,}<\/desc>/)
    expect(guide).toMatch(new RegExp(`!\\[[^\\]]{20,}\\]\\(\\.\\./pictures/${name}\\)`))
  },
)

test.each(Object.entries(tables))('the table of %s has the figures of the library', (_, lines) => {
  expect(guide).toContain(`\n${lines.join('\n')}\n`)
})
