// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.batch.QuietRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommonRulesTest {
  private final CommonRules<String> rules = new CommonRules<>();
  private long number;
  private int evaluated;

  @Test
  void concerned_withLimitsOfOneNumber_areTheQueriesWhoseLimitIsExceeded() {
    add("above 5", upTo(5));
    add("above 9", upTo(9));
    add("below 2", from(2));
    add("below 4", from(4));
    add("above 5 too", upTo(5));
    number = 5;
    assertThat(rules.concerned()).isEmpty();
    number = 6;
    assertThat(rules.concerned()).containsExactly("above 5", "above 5 too");
    number = 10;
    assertThat(rules.concerned()).containsExactly("above 5", "above 5 too", "above 9");
    number = 3;
    assertThat(rules.concerned()).containsExactly("below 4");
    number = 1;
    assertThat(rules.concerned()).containsExactly("below 4", "below 2");
  }

  /** However many queries there are. */
  @Test
  void concerned_ofNoQuery_evaluatesOneRuleForEachNumber() {
    for (int limit = 10; limit < 100; limit++) {
      add("above " + limit, upTo(limit));
    }
    assertThat(rules.concerned()).isEmpty();
    assertThat(evaluated).isEqualTo(1);
  }

  @Test
  void concerned_withRulesWithoutALimit_areTheQueriesOfThoseThatAreNotQuiet() {
    add("even", () -> number % 2 == 0 ? QuietRule.FALSE : QuietRule.TRUE);
    add("never", QuietRule.ALWAYS);
    number = 3;
    assertThat(rules.concerned()).containsExactly("even");
  }

  /** As those of many clients of one query are. */
  @Test
  void concerned_withEqualRules_evaluatesOneOfThem() {
    for (int i = 0; i < 100; i++) {
      add("client " + i, even());
    }
    assertThat(rules.concerned()).isEmpty();
    assertThat(evaluated).isEqualTo(1);
    number = 3;
    assertThat(rules.concerned()).hasSize(100).doesNotHaveDuplicates();
    assertThat(rules.size()).as("one ladder with one rung").isEqualTo(2);
  }

  @Test
  void remove_ofAllRules_keepsNone() {
    CommonRules<String>.Hold strict = add("above 5", upTo(5));
    CommonRules<String>.Hold same = add("above 5 too", upTo(5));
    CommonRules<String>.Hold loose = add("above 9", upTo(9));
    number = 10;
    remove(strict);
    assertThat(rules.concerned()).containsExactly("above 5 too", "above 9");
    remove(same);
    assertThat(rules.concerned()).containsExactly("above 9");
    assertThat(rules.size()).as("one ladder with one rung").isEqualTo(2);
    remove(loose);
    assertThat(rules.concerned()).isEmpty();
    assertThat(rules.size()).isZero();
  }

  @Test
  void leave_ofAnyOfManyThatTookARung_keepsTheOthers() {
    List<CommonRules<String>.Hold> holds = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      holds.add(add("client " + i, even()));
    }
    number = 3;
    holds.get(1).leave();
    holds.get(4).leave();
    assertThat(rules.concerned()).containsExactlyInAnyOrder("client 0", "client 2", "client 3");
    holds.get(1).take();
    holds.get(3).leave();
    holds.get(0).leave();
    assertThat(rules.concerned()).containsExactlyInAnyOrder("client 1", "client 2");
    holds.get(2).leave();
    holds.get(1).leave();
    assertThat(rules.concerned()).isEmpty();
  }

  /** Its place is only that of a query that takes it again. */
  @Test
  void concerned_withARungThatNoQueryHas_passesOverIt() {
    CommonRules<String>.Hold strict = add("above 5", upTo(5));
    add("above 9", upTo(9));
    number = 6;
    strict.leave();
    assertThat(rules.concerned()).isEmpty();
    assertThat(evaluated).isEqualTo(1);
    strict.take();
    assertThat(rules.concerned()).containsExactly("above 5");
  }

  private CommonRules<String>.Hold add(String query, QuietRule rule) {
    CommonRules<String>.Hold hold = rules.hold(rule, query);
    hold.take();
    return hold;
  }

  private void remove(CommonRules<String>.Hold hold) {
    hold.leave();
    rules.release(hold);
  }

  private QuietRule even() {
    return new QuietRule() {
      @Override
      public int truths() {
        evaluated++;
        return number % 2 == 0 ? FALSE : TRUE;
      }

      @Override
      public Object key() {
        return "even";
      }
    };
  }

  private QuietRule upTo(long limit) {
    return rule(true, limit);
  }

  private QuietRule from(long limit) {
    return rule(false, limit);
  }

  private QuietRule rule(boolean isUpper, long limit) {
    return new QuietRule() {
      @Override
      public int truths() {
        evaluated++;
        return (isUpper ? number <= limit : number >= limit) ? FALSE : TRUE;
      }

      @Override
      public @Nullable Limit limit() {
        return new Limit(List.of("x"), false, isUpper, limit);
      }
    };
  }
}
