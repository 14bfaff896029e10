import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate, median, milliseconds, root, row, seconds, time, times, withDirectory } from './measure.mjs'

const program = join(root, 'bench/programs/compare-trees.mjs')

/** A Java class of 7 KB; the same `seed` gives the same class, `layout` only how it is written. */
function javaClass(name, seed, layout = 'plain') {
  const methods = Array.from({ length: 80 }, (_, index) => {
    const number = (seed * 31 + index * 17) % 1000
    return layout === 'plain'
      ? `    public int method${index}(int value) {\n        return value * ${number} + this.base;\n    }\n`
      : `  public int method${index}( int value )\n  {\n    // reformatted\n    return value*${number}+this.base;\n  }\n\n`
  })
  return `package sample;\n\npublic class ${name} {\n    private final int base = ${seed};\n\n${methods.join('\n')}}\n`
}

/** Two directories with the same file names; `of` gives the text of a file on either side. */
function makeTrees(directory, count, of) {
  for (const side of ['workspace', 'reference'])
    for (let index = 0; index < count; index++) {
      const folder = join(directory, side, `folder-${index % 100}`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `Sample${index}.java`), of(index, side))
    }
  return ['workspace', 'reference'].map((side) => join(directory, side))
}

function compare([workspace, reference], failed) {
  const result = JSON.parse(time([process.execPath, program, workspace, reference]).stdout)
  if (result.failed !== failed) throw new Error(`${result.failed} files differ, expected ${failed}`)
  return result
}

function runs(trees, failed) {
  return [1, 2, 3, 4, 5].map(() => compare(trees, failed))
}

/** Two equal trees of 10,000 files of 7 KB, by the judge `matchesReference`, beside `diff -rq`. */
function equal(directory) {
  const trees = makeTrees(directory, 10_000, (index) => javaClass(`Sample${index}`, index))
  const [ours, theirs] = alternate([() => compare(trees, 0).elapsedMs, () => time(['diff', '-rq', ...trees]).elapsedMs])
  const [mine, yardstick] = [median(ours), median(theirs)]
  const figure = `${milliseconds(mine)}, ${times(mine / yardstick)} \`diff -rq\` (${milliseconds(yardstick)})`
  return row('two equal trees of 10,000 files of 7 KB', figure, 'at most 2 ×', mine <= 2 * yardstick)
}

function reformatted(directory) {
  const layouts = { workspace: 'other', reference: 'plain' }
  const trees = makeTrees(directory, 1_000, (index, side) => javaClass(`Sample${index}`, index, layouts[side]))
  const cpuMs = median(runs(trees, 0).map((one) => one.cpuMs))
  return row('1,000 reformatted Java files, processor time', seconds(cpuMs), 'at most 2 s', cpuMs <= 2_000)
}

function changed(directory) {
  const isChanged = (index, side) => side === 'workspace' && index % 20 === 0
  const trees = makeTrees(directory, 10_000, (index, side) =>
    javaClass(`Sample${index}`, isChanged(index, side) ? index + 1 : index),
  )
  const cpuMs = median(runs(trees, 500).map((one) => one.cpuMs))
  return row('10,000 Java files, 5 % changed, processor time', seconds(cpuMs), 'at most 6 s', cpuMs <= 6_000)
}

/** How long does it take to compare what an agent left with the reference? */
export async function comparison() {
  const rows = []
  for (const question of [equal, reformatted, changed]) rows.push(await withDirectory(question))
  return rows
}
