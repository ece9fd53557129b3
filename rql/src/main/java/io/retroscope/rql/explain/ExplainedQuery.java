// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;

/**
 * A query of which a cut is explained.
 *
 * @param text of the statement, for errors
 * @param work ends the explanation when it is no longer wanted
 */
public record ExplainedQuery(
    String text, AnalyzedQuery analyzed, QueryLimits limits, WorkMeter work) {}
