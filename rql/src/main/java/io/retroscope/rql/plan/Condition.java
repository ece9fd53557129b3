// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Extremes;
import io.retroscope.rql.evaluation.KernelCompiler;
import io.retroscope.rql.evaluation.NaryOperation;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The compiled predicate of WHEN.
 *
 * @param isExtremes whether all of it is decided by the smallest and the largest value
 * @param byExtremes the number of its quantifiers that are decided so
 * @param byBindings the number of its quantifiers that try each binding
 * @param rule the same predicate as a quiet rule; null if it has none
 * @param obstacle the first part that has no rule; null if all of it has one
 * @param readings what the rule reads of the variables
 */
record Condition(
    Evaluator evaluator,
    boolean isExtremes,
    long byExtremes,
    long byBindings,
    @Nullable QuietRule rule,
    @Nullable SourceRange obstacle,
    List<String> readings) {
  static Condition of(Expression predicate, Translator translator) {
    long extremesBefore = translator.byExtremes();
    long bindingsBefore = translator.byBindings();
    Evaluator compiled = translator.one(predicate);
    SourceRange range = predicate.range();
    long byExtremes = translator.byExtremes() - extremesBefore;
    long byBindings = translator.byBindings() - bindingsBefore;
    KernelCompiler kernels = new KernelCompiler(translator);
    QuietRule rule = kernels.rule(predicate);
    return new Condition(
        NaryOperation.one(range, value -> Types.truth(value, "WHEN"), compiled),
        compiled instanceof Extremes,
        byExtremes,
        byBindings,
        rule,
        kernels.obstacle(),
        kernels.readings());
  }
}
