package io.retroscope.rql.plan;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Extremes;
import io.retroscope.rql.evaluation.NaryOperation;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;

/**
 * The compiled predicate of WHEN.
 *
 * @param isExtremes whether all of it is decided by the smallest and the largest value
 * @param byExtremes the number of its quantifiers that are decided so
 * @param byBindings the number of its quantifiers that try each binding
 */
record Condition(Evaluator evaluator, boolean isExtremes, long byExtremes, long byBindings) {
  static Condition of(Expression predicate, Translator translator) {
    long extremesBefore = translator.byExtremes();
    long bindingsBefore = translator.byBindings();
    Evaluator compiled = translator.one(predicate);
    SourceRange range = predicate.range();
    return new Condition(
        NaryOperation.one(range, value -> Types.truth(value, "WHEN"), compiled),
        compiled instanceof Extremes,
        translator.byExtremes() - extremesBefore,
        translator.byBindings() - bindingsBefore);
  }
}
