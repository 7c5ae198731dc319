import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import table from './model-limits.json' with { type: 'json' };

export interface ModelLimits {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** What a model can take and give: what a person has set, else the table, else a cautious default. */
export function limitsOfModel(endpoint: ModelEndpoint): ModelLimits {
  // An aggregator puts the maker before the name: anthropic/claude-sonnet-5.
  const name = endpoint.model.slice(endpoint.model.lastIndexOf('/') + 1).toLowerCase();
  const known = table.models.find(({ begins }) => name.startsWith(begins)) ?? table.default;
  return {
    contextTokens: endpoint.contextTokens ?? known.contextTokens,
    maxOutputTokens: endpoint.maxOutputTokens ?? known.maxOutputTokens,
  };
}
