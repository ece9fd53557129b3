// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static io.retroscope.rql.cut.batch.QuietRule.FALSE;
import static io.retroscope.rql.cut.batch.QuietRule.NULL;
import static io.retroscope.rql.cut.batch.QuietRule.TRUE;
import static io.retroscope.rql.cut.batch.QuietRule.UNKNOWN;

import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/** Deliberately wrong forms of every quiet rule, which a comparison of rows must detect. */
final class WrongRules {
  private WrongRules() {}

  /** The wrong rules by their names. */
  static Map<String, UnaryOperator<QuietRule>> all() {
    Map<String, UnaryOperator<QuietRule>> rules = new LinkedHashMap<>();
    rules.put("passes over every cut", truths(t -> FALSE));
    rules.put("continues a run at every cut", truths(t -> TRUE));
    rules.put("passes over cuts that are TRUE", truths(t -> t == TRUE ? FALSE : t));
    rules.put("passes over cuts that are TRUE as if NULL", truths(t -> t == TRUE ? NULL : t));
    rules.put("continues runs at FALSE", truths(t -> t == FALSE ? TRUE : t));
    rules.put("continues runs at NULL", truths(t -> t == NULL ? TRUE : t));
    rules.put("passes over what it does not know", truths(t -> t == UNKNOWN ? FALSE : t));
    rules.put("continues runs at what it does not know", truths(t -> t == UNKNOWN ? TRUE : t));
    rules.put("passes over what may be TRUE", truths(t -> isOneOfTwo(t) ? FALSE : t));
    rules.put("continues runs where it may be FALSE", truths(t -> isOneOfTwo(t) ? TRUE : t));
    rules.put("takes any TRUE for all", truths(t -> mayBeTrue(t) ? TRUE : t));
    rules.put("drops TRUE among others", truths(t -> t == TRUE || t == UNKNOWN ? t : t & ~TRUE));
    rules.put("inverts the truth", truths(t -> t == TRUE ? FALSE : t == FALSE ? TRUE : t));
    rules.put("answers as the time before", rule -> delayed(rule, 1));
    rules.put("answers each second time as the time before", rule -> delayed(rule, 2));
    rules.put("answers each ninth time as the time before", rule -> delayed(rule, 9));
    rules.put("repeats its first answer", WrongRules::firstOnly);
    rules.put("passes over one of 7 cuts that are TRUE", rule -> sometimes(rule, TRUE, 7));
    rules.put(
        "passes over one of 7 cuts that it does not know", rule -> sometimes(rule, UNKNOWN, 7));
    rules.put("passes over places that are TRUE", atPlaces(place -> place == TRUE ? FALSE : place));
    rules.put("continues runs at places that are FALSE", atPlaces(p -> p == FALSE ? TRUE : p));
    rules.put("continues runs at places that are NULL", atPlaces(p -> p == NULL ? TRUE : p));
    rules.put("inverts the truth of places", atPlaces(p -> p == TRUE ? FALSE : TRUE));
    rules.put("passes over places that it does not know", atPlaces(p -> p == UNKNOWN ? FALSE : p));
    rules.put(
        "continues runs at places that it does not know", atPlaces(p -> p == UNKNOWN ? TRUE : p));
    rules.put("answers each place as the one before", WrongRules::shifted);
    rules.put("passes over one of 7 places that are TRUE", WrongRules::sometimesAtPlaces);
    return rules;
  }

  private static boolean isOneOfTwo(int truths) {
    return truths == (TRUE | FALSE);
  }

  private static boolean mayBeTrue(int truths) {
    return truths != UNKNOWN && (truths & TRUE) != 0;
  }

  private static UnaryOperator<QuietRule> truths(IntUnaryOperator wrong) {
    return rule -> () -> wrong.applyAsInt(rule.truths());
  }

  private static QuietRule delayed(QuietRule rule, int oneOf) {
    int[] last = {FALSE};
    int[] calls = {0};
    return () -> {
      int before = last[0];
      last[0] = rule.truths();
      calls[0]++;
      return calls[0] % oneOf == 0 ? before : last[0];
    };
  }

  private static QuietRule firstOnly(QuietRule rule) {
    int[] first = {UNKNOWN};
    return () -> {
      first[0] = first[0] == UNKNOWN ? rule.truths() : first[0];
      return first[0];
    };
  }

  private static QuietRule sometimes(QuietRule rule, int wrongly, int oneOf) {
    int[] calls = {0};
    return () -> {
      int truths = rule.truths();
      calls[0] += truths == wrongly ? 1 : 0;
      return truths == wrongly && calls[0] % oneOf == 0 ? FALSE : truths;
    };
  }

  /** A rule that is right for bounds, and wrong at the places of a part. */
  private record WrongAtPlaces(QuietRule rule, PlacesChange change) implements QuietRule {
    @Override
    public int truths() {
      return rule.truths();
    }

    @Override
    public void evaluate(CutBatch batch, byte[] to) {
      rule.evaluate(batch, to);
      change.of(batch.size(), to);
    }
  }

  private interface PlacesChange {
    void of(int size, byte[] to);
  }

  private static UnaryOperator<QuietRule> atPlaces(IntUnaryOperator wrong) {
    return right ->
        new WrongAtPlaces(
            right,
            (size, to) -> {
              for (int place = 0; place < size; place++) {
                to[place] = (byte) wrong.applyAsInt(to[place]);
              }
            });
  }

  private static QuietRule shifted(QuietRule right) {
    return new WrongAtPlaces(right, (size, to) -> System.arraycopy(to, 0, to, 1, size - 1));
  }

  private static QuietRule sometimesAtPlaces(QuietRule right) {
    int[] calls = {0};
    return new WrongAtPlaces(
        right,
        (size, to) -> {
          for (int place = 0; place < size; place++) {
            calls[0] += to[place] == TRUE ? 1 : 0;
            to[place] = to[place] == TRUE && calls[0] % 7 == 0 ? FALSE : to[place];
          }
        });
  }
}
