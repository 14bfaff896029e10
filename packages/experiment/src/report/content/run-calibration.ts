import { groupBy } from '@jurist/kit/group-by'
import { right } from '@jurist/kit/terminal'
import { errorSentences, juryFirst } from '../../calibrate/report/error-sentence.js'
import type { RunCalibration } from '../../label/calibrate-run.js'
import { estimateLines } from '../../label/estimate-run.js'
import { type JudgeOnLabels, type LabelDisagreement, pairText } from '../../label/label-agreement.js'
import { counted, grouped, percent, unknown } from '../../result/amounts.js'
import { trialText } from '../../result/trial-figures.js'
import { lineSection, type Section, valuesSection } from '../sections.js'
import { confusionSection } from './calibration.js'

const [fewRead, mostRead] = [3, 10]
const longestText = 600

/** The errors of each judge, the jury first, and its confusion matrix. */
export function errorSections({ calibrations, run }: RunCalibration): readonly Section[] {
  const [[name, first] = []] = juryFirst(Object.entries(calibrations))
  if (name === undefined || first === undefined) return []
  return [
    { title: `Run ${run} against its labels`, lines: errorSentences(calibrations) },
    ...confusionSection(first.report, `People \\ ${name}`).map((section) => ({
      ...section,
      title: 'Labels and judgments',
    })),
  ]
}

/** The true pass rate by labels and verdicts. */
export function estimateSections({ estimate }: RunCalibration, commandLine: CommandLine): readonly Section[] {
  return [{ title: 'True pass rate, by labels and verdicts', lines: estimateLines(estimate, commandLine) }]
}

/** The people who labelled, and their agreement with each other. */
export function peopleSections({ people }: RunCalibration): readonly Section[] {
  const { annotators, trials, undecided, pairs, disagreements } = people
  const names = annotators.map((name) => name || 'a person without a name').join(', ')
  const differing =
    annotators.length === 1
      ? ''
      : `; people differ on ${grouped(disagreements.length)}${undecided === 0 ? '' : `, of which ${grouped(undecided)} have no majority and are in no rate above`}`
  return lineSection('Labels', [
    `${counted(trials, 'trial')} labelled by ${names}${differing}.`,
    ...pairs.map((pair) => `${pairText(pair)}.`),
  ])
}

/** Each judge by how far people agree, where several people labelled the same trials. */
export function noiseSection({ people, onLabels }: RunCalibration): readonly Section[] {
  if (people.disagreements.length === 0 && people.pairs.length === 0) return []
  const cell = ({ matches, of }: JudgeOnLabels['agreed']) =>
    of === 0 ? unknown : `${grouped(matches)} of ${grouped(of)} (${percent(matches / of)})`
  return valuesSection(
    'Error of the judge, or noise of the labels',
    onLabels,
    [
      ['Judge', ({ judge }) => judge],
      [right('People agree'), ({ agreed }) => cell(agreed)],
      [right('One person'), ({ single }) => cell(single)],
      [right('People differ (labels)'), ({ contested }) => cell(contested)],
    ],
    [
      'Where people agree, a difference is most likely an error of the judge; where they differ, no judge can agree with all.',
    ],
  )
}

type CommandLine = (...words: readonly string[]) => string

/**
 * Where judges and people differ, with reason and answer: an error of the judge, or a label to correct.
 *
 * @param all trials of every judge, not only the first ones of the jury
 * @param commandLine the line of a command for where the report is read
 */
export function readingSections(
  calibration: RunCalibration,
  all: boolean,
  commandLine: CommandLine,
): readonly Section[] {
  const judges = juryFirst(groupBy(calibration.disagreements, ({ judge }) => judge))
  return (all ? judges : judges.slice(0, 1)).flatMap(([judge, own]) => {
    const read = own.slice(0, all ? mostRead : fewRead)
    const more = own.length === read.length ? '' : `; the first ${read.length} are shown, all are in the JSON document`
    const lines = ['Either the judge is wrong, or a label: the line under a trial says how it is labelled again.']
    return [
      { title: `${judge} differs from the label on ${counted(own.length, 'trial')}${more}`, lines },
      ...read.map((one) => entry(one, relabelText(commandLine, calibration, one))),
    ]
  })
}

/** How to see what is left out. */
export function moreSections({ run, labelsFile, table }: RunCalibration, commandLine: CommandLine): readonly Section[] {
  const file = labelsFile === null ? [] : ['--labels', labelsFile]
  return lineSection(`Intervals, kappa and price of ${counted(table.length, 'judge')}, each pair, and more trials`, [
    commandLine('calibrate', '--run', run, ...file, '--all'),
  ])
}

/** How a trial is labelled again, in the file that the labels are from. */
function relabelText(
  commandLine: CommandLine,
  { run, labelsFile }: Pick<RunCalibration, 'run' | 'labelsFile'>,
  { itemId }: LabelDisagreement,
): string {
  if (labelsFile !== null && !labelsFile.endsWith('.jsonl')) return `change its row in ${labelsFile}`
  return commandLine('label', run, '--item', itemId, ...(labelsFile === null ? [] : ['--labels', labelsFile]))
}

function entry(disagreement: LabelDisagreement, again: string): Section {
  const { itemId, repetition, said, reason, labels, people, task, output } = disagreement
  const given = labels.map(
    ({ annotator, label, note }) => `${annotator || 'label'}: ${label}${note === null ? '' : ` (${note})`}`,
  )
  const sure = { agree: 'people agree on the label', one: 'one person labelled it', differ: 'people differ' }[people]
  return {
    title: `${trialText({ itemId, repetition })}: the judge says ${said}, ${sure}`,
    lines: [
      `Labels: ${given.join(', ')}`,
      `Reason: ${cut(reason)}`,
      `Task: ${cut(task)}`,
      `Again: ${again}`,
      'Output:',
    ],
    code: output === null ? '(no answer)' : cut(output),
  }
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)} …`
}
