import { JuristError } from '@jurist/core'
import { counted } from '../result/amounts.js'
import { currentLabels, type Label } from './label.js'

/**
 * The labels that a certificate may rest on: passes and fails of a uniform sample.
 * A label that was made again for a chosen trial does not replace one of them: trials are chosen because of what a judge said.
 *
 * @throws `option-invalid` where all labels are of a chosen sample
 */
export function uniformLabels(
  run: string,
  lines: readonly Label[],
): { readonly labels: readonly Label[]; readonly notes: readonly string[] } {
  const decidedOf = (use: Label['use']) =>
    currentLabels(lines.filter((line) => line.use === use)).filter(({ label }) => label !== 'skip')
  const [labels, chosen] = [decidedOf('certify'), decidedOf('explore')]
  if (labels.length === 0 && chosen.length > 0)
    throw new JuristError(
      'option-invalid',
      `calibrateCascadeOnRun: ${counted(chosen.length, 'label')}, all of a stratified or chosen sample. Such labels do not stand for the run, and no certificate rests on them. Label a uniform sample: jurist label ${run} --sample 100`,
      { option: 'labels' },
    )
  if (chosen.length === 0) return { labels, notes: [] }
  const note = `${counted(chosen.length, 'label')} of a stratified or chosen sample left out: no certificate rests on them.`
  return { labels, notes: [note] }
}
