import { maybeYouMeant, SluiceError } from '../base/index.ts';
import { type LogicalPlan, outputColumns } from './logical.ts';
import { noteWishes } from './rules/note-wishes.ts';
import { pruneColumns } from './rules/prune-columns.ts';
import { pushFilters } from './rules/push-filters.ts';

/** A rewriting of plans that changes neither the rows nor the columns of the result. */
export interface Rule {
  readonly name: string;
  readonly apply: (plan: LogicalPlan) => LogicalPlan;
}

export const rules: readonly Rule[] = [
  { name: 'push_filters', apply: pushFilters },
  // Once filters stand where they stay, and while scans still have all columns that they name.
  { name: 'note_wishes', apply: noteWishes },
  // Filters say which columns are needed where, so pruning comes after they have found their places.
  {
    name: 'prune_columns',
    apply: (plan) => pruneColumns(plan, new Set(outputColumns(plan).map((column) => column.id))),
  },
];

/** The rules without those named in the setting disabled_optimizer_rules. */
export function rulesWithout(disabled: string): readonly Rule[] {
  if (disabled === '') return rules;
  const names = disabled.split(',').map((name) => name.trim());
  const known = ['all', ...rules.map((rule) => rule.name)];
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `There is no optimizer rule '${name}', only ${known.slice(1).join(', ')}${maybeYouMeant(name, known)}`,
    );
  }
  return names.includes('all') ? [] : rules.filter((rule) => !names.includes(rule.name));
}

export function optimize(plan: LogicalPlan, applied: readonly Rule[] = rules): LogicalPlan {
  return applied.reduce((current, rule) => rule.apply(current), plan);
}
