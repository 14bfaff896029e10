import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../../../tests/structure/source.js'
import { javascriptCheats } from '../../../../../tests/toolchains/kit/cheats/javascript-cheats.js'
import { establishedProject, outcomeOf } from '../../../../../tests/toolchains/kit/cheats/judged-cheat.js'
import { cheatedProjects } from '../../../../../tests/toolchains/kit/cheats/projects.js'
import { pythonCheats } from '../../../../../tests/toolchains/kit/cheats/python-cheats.js'

// A cheat of each family that no other fence notices: canaries do. tests/toolchains/cheats.toolchain.ts tries all of them.

const projects = cheatedProjects(join(root, 'node_modules'))
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

const cheats: { readonly [runner: string]: readonly string[] } = {
  'node --test': ['sends events of passed tests', 'reads the line of its caller'],
  'vitest run --globals': ['replaces the assertions of chai', 'answers for itself: asymmetricMatch'],
  ...(hasPytest
    ? {
        'python -m pytest -q': ['reads the line of its caller', 'registers a plug-in that it finds by gc'],
      }
    : {}),
}

test.each(Object.keys(cheats))('cheats that pass hidden tests do not pass their canaries: %s', async (runner) => {
  const project = projects.find(({ name }) => name === runner)
  if (project === undefined) throw new Error(`There is no project for ${runner}.`)
  const established = await establishedProject(project, 'default')
  expect(established.canaries.counted).toBeGreaterThanOrEqual(3)
  const all = project.language === 'python' ? pythonCheats : javascriptCheats
  for (const cheat of all.filter(({ name }) => cheats[runner]?.includes(name))) {
    const files = cheat.files(project)
    if (files === undefined) continue
    const [without, beside] = [
      await established.judge(files, undefined, { canaries: false }),
      await established.judge(files),
    ]
    expect([cheat.name, outcomeOf(without), outcomeOf(beside)]).toEqual([cheat.name, 'passed', 'caught by canaries'])
  }
})
