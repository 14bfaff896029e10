import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { referencePages } from './structure/reference.js'
import { root } from './structure/source.js'

// The tables of options, flags, judges and probes follow from their declarations. `npm run fix` writes them.

const directory = join(root, 'docs/reference')

test.each(Object.entries(referencePages))('docs/reference/%s has what the code declares', async (name, text) => {
  await expect(text).toMatchFileSnapshot(join(directory, name))
  // A cell for each of what is declared: no name is left without a word.
  expect(text.split('\n').filter((line) => /^\| `[^|]*\| *\|/.test(line))).toEqual([])
})

test('the reference has no other page but the map of foreign formats, which no declaration holds', () => {
  expect(readdirSync(directory).sort()).toEqual([...Object.keys(referencePages), 'imports.md'].sort())
})
