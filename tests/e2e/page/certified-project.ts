import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parcels } from '../../../examples/labels/parcels.js'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { root } from '../../structure/source.js'

/** The example of labels with a run of every answer, labels of 120, and the calibration of the cascade. */
export async function certifiedProject(): Promise<Project & { readonly calibration: string }> {
  const example = join(root, 'examples/labels')
  const files = readdirSync(example).filter((name) => name.endsWith('.ts'))
  const labels = parcels
    .filter((_, index) => index % 5 < 3)
    .map(({ item, right }) => `${item.id},${right ? 'pass' : 'fail'},ana`)
  const made = project({
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(example, name), 'utf8')])),
    'labels.csv': ['itemId,label,annotator', ...labels].join('\n'),
  })
  await made.jurist('run', 'always')
  const certificate = ['--certificate', 'certificates/parcels.json']
  const ran = await made.jurist(
    'calibrate',
    'parcels',
    '--certify',
    '--run',
    'always',
    '--labels',
    'labels.csv',
    ...certificate,
  )
  if (ran.code !== 0) throw new Error(`Nothing was certified: ${ran.stderr}${ran.stdout}`)
  const [calibration = ''] = readdirSync(join(made.directory, 'results/parcels')).filter((name) => name.startsWith('2'))
  return { ...made, calibration }
}
