// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.plan.BoundPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The questions of FOR EACH NODE and FOR EACH VALUE. A question lives while its element is present,
 * and longer while its run or an obligation of THEN is open. Used by one thread.
 *
 * <p>Where THEN, AFTER and UNLESS have {@linkplain io.retroscope.rql.evaluation.ElementKeys keys},
 * a cut evaluates only the questions whose element is or was present, is a key, or was one at the
 * cut before: the others would learn nothing.
 */
final class ElementQuestions implements Questions {
  /** How many absent questions a cut looks at, so that their number stays in proportion. */
  private static final int LOOKED_AT = 4;

  private final Maker maker;
  private final ElementsAtCut elements;
  private final TreeMap<Value, Question> questions;
  private final Map<Integer, Integer> families = new TreeMap<>();
  private final Set<Question> absent = new LinkedHashSet<>();
  private List<Value> metElements = List.of();
  private List<Question> present = List.of();
  private List<Question> presentByName = List.of();
  private List<Question> presentBefore = List.of();
  private List<Question> all = List.of();
  private final Set<Question> unsettled = new LinkedHashSet<>();
  private boolean changed;
  private long metAt = HlcTimestamp.MIN_PACKED;

  ElementQuestions(BoundPlan plan, Maker maker, ElementsAtCut elements) {
    this.maker = maker;
    this.elements = elements;
    boolean isOfNode =
        plan.query().query().forEach().filter(ForEach.OfNode.class::isInstance).isPresent();
    this.questions = new TreeMap<>(isOfNode ? Question.BY_NODE : Comparator.naturalOrder());
    plan.input().variables().forEach(v -> plan.state().follow(v.log(), v.name()));
  }

  /** Adds questions of elements that come later, for AFTER, which looks back from them. */
  void expect(Collection<Value> later) {
    later.forEach(this::question);
  }

  private Question question(Value element) {
    Question question = questions.get(element);
    if (question == null) {
      question = maker.make(element);
      question.setPresent(false);
      questions.put(element, question);
      families.merge(element.family(), 1, Integer::sum);
      changed = true;
    }
    return question;
  }

  @Override
  public boolean areSeveral() {
    return true;
  }

  @Override
  public boolean meet() {
    List<Value> now = elements.now();
    if (now == null) {
      return false;
    }
    presentBefore = present;
    if (now == metElements && areAllPresent()) {
      metAt = elements.hlc();
      return true;
    }
    metElements = now;
    Set<Question> leaving = new HashSet<>(present);
    present = now.stream().map(this::question).toList();
    presentByName = present.stream().sorted(Question.BY_NAME).toList();
    for (Question question : present) {
      if (!question.isPresent()) {
        question.returns(metAt);
      }
      leaving.remove(question);
    }
    leaving.forEach(question -> question.setPresent(false));
    metAt = elements.hlc();
    elements.checkNumber(questions.size());
    return true;
  }

  private boolean areAllPresent() {
    for (int i = 0; i < present.size(); i++) {
      if (!present.get(i).isPresent()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public List<Question> before() {
    List<Question> before = elements.before().stream().map(maker::make).toList();
    before.forEach(maker::forget);
    return before;
  }

  @Override
  public void meetAfter() {
    List<Value> now = elements.now();
    TreeSet<Value> still = new TreeSet<>(now == null ? List.of() : now);
    present.forEach(question -> question.setPresent(still.contains(question.element())));
  }

  @Override
  public List<Question> all() {
    if (changed) {
      changed = false;
      all = List.copyOf(questions.values());
    }
    return all;
  }

  @Override
  public List<Question> touchedBy(List<VariableColumn> columns, Set<Question> timely) {
    Set<Value> keys = elements.keys(families.keySet());
    if (keys == null) {
      return all();
    }
    if (keys.isEmpty() && unsettled.isEmpty() && present == presentBefore && !present.isEmpty()) {
      return presentByName;
    }
    Set<Question> touched = new TreeSet<>(Question.BY_NAME);
    // First, because a question that is over and its successor have the same element.
    touched.addAll(present);
    touched.addAll(presentBefore);
    touched.addAll(unsettled);
    for (Value key : keys) {
      Question question = questions.get(key);
      if (question != null) {
        touched.add(question);
      }
    }
    if (touched.isEmpty() && !questions.isEmpty()) {
      touched.add(questions.firstEntry().getValue()); // It fails if every question does.
    }
    return List.copyOf(touched);
  }

  @Override
  public void settle(List<Question> evaluated) {
    unsettled.clear();
    for (Question question : evaluated) {
      if (question.isUnsettled()) {
        unsettled.add(question);
      }
      if (!question.isPresent() && !forget(question)) {
        absent.add(question);
      }
    }
    lookAtAbsent();
  }

  private void lookAtAbsent() {
    if (absent.isEmpty()) {
      return;
    }
    List<Question> still = new ArrayList<>();
    Iterator<Question> first = absent.iterator();
    for (int i = 0; i < LOOKED_AT && first.hasNext(); i++) {
      Question question = first.next();
      first.remove();
      boolean isKept = questions.get(question.element()) == question && !question.isPresent();
      if (isKept && !forget(question)) {
        still.add(question);
      }
    }
    absent.addAll(still);
  }

  private boolean forget(Question question) {
    if (!question.isOver(elements.hlc())) {
      return false;
    }
    questions.remove(question.element());
    families.computeIfPresent(question.element().family(), (f, n) -> n == 1 ? null : n - 1);
    maker.forget(question);
    changed = true;
    return true;
  }
}
