// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.FunctionSamples;
import io.retroscope.rql.analysis.FunctionSamples.Origin;
import io.retroscope.rql.analysis.FunctionSamples.Place;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.parser.OneStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests every function in every place of a query: the rows are those of the oracle, or the analysis
 * rejects the query with the documented error.
 */
class EveryFunctionTest {
  /** Queries of a call, which is {@code %s}, and a constant, which is {@code %l}. */
  private static final List<String> COMPARISONS_OF_AGES =
      List.of(
          "SELECT a FROM t WHEN EXISTS v IN Age(a) : (%s > %l)",
          "SELECT a FROM t WHEN EXISTS v IN Age(a) : (%s = %l) EMIT INTERVALS",
          "SELECT a FROM t WHEN EXISTS v IN Age(a) : (%s <= %l) EMIT EDGES");

  private static final List<Position> POSITIONS =
      List.of(
          new Position("SELECT %s AS x, a FROM t", Place.ITEM),
          new Position("SELECT %s AS x, a, b FROM t AT NODES n1, n2", Place.ITEM),
          new Position("SELECT %s AS x, a FROM t WHEN a@n1 > 3 EMIT INTERVALS", Place.ITEM),
          new Position("SELECT %s AS x FROM t WHEN MAX(a) > 3 EMIT EDGES", Place.ITEM),
          new Position("SELECT a FROM t WHEN %s IS NOT NULL", Place.ONE_VALUE),
          new Position("SELECT a FROM t WHEN %s", Place.CONDITION),
          new Position("SELECT a FROM t WHEN %s FOR 3us", Place.CONDITION),
          new Position(
              "SELECT a FROM t WHEN EXISTS w IN a : (w > 3 AND %s IS NOT NULL)", Place.ONE_VALUE),
          new Position("SELECT a FROM t WHEN EXISTS w IN %s : (w IS NOT NULL)", Place.ELEMENTS),
          new Position("SELECT a FROM t COMPUTE OUT o AND (o := %s)", Place.ITEM),
          new Position("SELECT a, %s@n1 AS x FROM t", Place.AT_NODE),
          new Position("SELECT a FROM t WHEN EXISTS w IN Age(%s) : (w > 1us)", Place.VARIABLE),
          new Position("SELECT a FROM t PLAY harp NOTE %s", Place.NUMBER),
          new Position("SELECT a FROM t PLAY harp VELOCITY %s", Place.NUMBER));

  /** A query with a call, which is {@code %s}. */
  private record Position(String query, Place place) {}

  private static final NaiveHistory HISTORY = new NaiveHistory(events());

  private final QueryEngine engine = OracleTest.engine(events());
  private final List<String> failures = new ArrayList<>();
  private int checked;

  /** All functions but those of rows, which no cut has. */
  static List<RqlFunction> functions() {
    return RqlFunction.all().stream()
        .filter(function -> !(function instanceof RqlFunction.OfRows))
        .toList();
  }

  @AfterEach
  void nothingFailed() {
    assertThat(failures).isEmpty();
    assertThat(checked).as("calls that were checked").isPositive();
  }

  @Test
  void all_holdsTheFunctionsOfEveryShape() {
    Set<Class<?>> shapes = Set.of(RqlFunction.class.getPermittedSubclasses());
    checked = shapes.size();
    for (Class<?> shape : shapes) {
      assertThat(RqlFunction.all().toArray()).contains(shape.getEnumConstants());
    }
    assertThat(RqlFunction.displayNames()).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("functions")
  void call_onItsOwn_hasTheOraclesValueOrNeedsACut(RqlFunction function) {
    for (String call : FunctionSamples.calls(function, Origin.CONSTANTS)) {
      checkAlone(call, function.accept(new RefusalAlone(false)));
      String counted = "COUNT v IN {1, 2} : (" + call + " IS NULL)";
      checkAlone(counted, function.accept(new RefusalAlone(true)));
    }
  }

  @ParameterizedTest
  @MethodSource("functions")
  void call_ofVariables_givesTheOraclesRows(RqlFunction function) {
    checkPositions(function, Origin.VARIABLES, 1);
  }

  @ParameterizedTest
  @MethodSource("functions")
  void call_ofConstants_givesTheOraclesRows(RqlFunction function) {
    checkPositions(function, Origin.CONSTANTS, 2);
  }

  @ParameterizedTest
  @MethodSource("functions")
  @Tag("slow")
  void call_ofConstantsOrAges_inEveryPosition_givesTheOraclesRows(RqlFunction function) {
    checkPositions(function, Origin.CONSTANTS, 1);
    checkPositions(function, Origin.AGES, 1);
  }

  @ParameterizedTest
  @MethodSource("functions")
  void call_ofBoundNames_givesTheOraclesRows(RqlFunction function) {
    for (String call : FunctionSamples.calls(function, Origin.BOUND_NAMES)) {
      check(
          "SELECT COUNT v IN a : (%s IS NOT NULL) AS x, a FROM t", call, Place.ONE_VALUE, function);
      check("SELECT a FROM t WHEN EXISTS v IN a : (%s)", call, Place.CONDITION, function);
      check("SELECT a FROM t WHEN FORALL v IN d : (%s IS NULL)", call, Place.ONE_VALUE, function);
      check("SELECT a FROM t WHEN EXISTS v, w IN a : (%s = w)", call, Place.ONE_VALUE, function);
    }
  }

  /**
   * Checks the cuts that a comparison with a constant makes, which are at the stamps of the oracle:
   * each constant in one kind of query.
   */
  @ParameterizedTest
  @MethodSource("functions")
  void call_ofAges_givesTheOraclesRows(RqlFunction function) {
    int own = functions().indexOf(function);
    checkPositions(function, Origin.AGES, 2);
    for (String call : FunctionSamples.calls(function, Origin.AGES)) {
      String inside = "SELECT a FROM t WHEN EXISTS v IN Age(b) : (v > 5us AND %s IS NOT NULL)";
      check(inside, call, Place.ONE_VALUE, function);
      List<String> limits = FunctionSamples.limits(function);
      for (int i = 0; i < limits.size(); i++) {
        String kind = COMPARISONS_OF_AGES.get((own + i) % COMPARISONS_OF_AGES.size());
        check(kind.replace("%l", limits.get(i)), call, Place.ONE_VALUE, function);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("functions")
  @Tag("slow")
  void call_ofAges_comparedInEachWay_givesTheOraclesRows(RqlFunction function) {
    for (String call : FunctionSamples.calls(function, Origin.AGES)) {
      for (String limit : FunctionSamples.limits(function)) {
        for (String kind : COMPARISONS_OF_AGES) {
          check(kind.replace("%l", limit), call, Place.ONE_VALUE, function);
        }
      }
    }
  }

  /** Checks the cuts that a comparison of an age with a constant makes. */
  @ParameterizedTest
  @ValueSource(strings = {"Age", "WriteAge", "Silence"})
  void age_comparedWithAConstant_givesTheOraclesRows(String age) {
    for (String limit : List.of("0us", "2us", "5us", "9us")) {
      for (String operator : List.of(">", ">=", "<", "=", "!=")) {
        String end = operator + " " + limit;
        for (String text :
            List.of(
                "SELECT a FROM t WHEN %s(a)@n1 " + end,
                "SELECT a FROM t WHEN NOT (%s(b)@n2 " + end + ") EMIT EDGES",
                "SELECT a FROM t WHEN MAX(%s(a)) " + end + " EMIT INTERVALS",
                "SELECT a FROM t WHEN SPREAD(%s(b)) " + end + " EMIT EDGES",
                "SELECT %s(a) FROM t ON TIME hlc'1009.0' TO hlc'1020.0' WHEN MIN(%s(a)) " + end,
                "SELECT a FROM t AT NODES n1, n2 WHEN EXISTS n IN NODES : (%s(b)@n " + end + ")")) {
          checkRows(text.replace("%s", age));
        }
      }
    }
  }

  /**
   * Every fourth pair with a scalar function, and all others, which have more kinds of arguments.
   */
  @ParameterizedTest
  @MethodSource("functions")
  void call_asArgumentOfAnother_givesTheOraclesRows(RqlFunction outer) {
    checkAsArgumentsOf(outer, 4);
  }

  @ParameterizedTest
  @MethodSource("functions")
  @Tag("slow")
  void call_asArgumentOfEachOther_givesTheOraclesRows(RqlFunction outer) {
    checkAsArgumentsOf(outer, 1);
  }

  /** Checks calls of functions in a call of the outer one; with a scalar one, one of some calls. */
  private void checkAsArgumentsOf(RqlFunction outer, int oneOf) {
    List<RqlFunction> all = functions();
    int own = all.indexOf(outer);
    for (int i = 0; i < all.size(); i++) {
      RqlFunction inner = all.get(i);
      boolean hasScalar =
          outer instanceof RqlFunction.Scalar || inner instanceof RqlFunction.Scalar;
      if (hasScalar && i % oneOf != own % oneOf) {
        continue;
      }
      String call = FunctionSamples.calls(inner, Origin.VARIABLES).get(0);
      String text = FunctionSamples.around(outer, call);
      FunctionSamples.refusal(inner, outer)
          .ifPresentOrElse(
              code -> checkRefused(inQuantifier(text), code),
              () -> {
                check(
                    "SELECT a FROM t WHEN COUNT v IN a : (%s IS NOT NULL) > 0",
                    text, Place.ONE_VALUE, outer);
                if (!text.contains("Node(v)")) {
                  check("SELECT %s AS x, a FROM t", text, Place.ITEM, outer);
                }
              });
    }
  }

  @ParameterizedTest
  @MethodSource("functions")
  void call_withTooFewOrTooManyArguments_isRefused(RqlFunction function) {
    int least = function.signature().minArguments();
    String name = function.displayName();
    if (least > 0) {
      checkRefused(
          inQuantifier(name + "(" + "1, ".repeat(least - 1).replaceFirst(", $", "") + ")"),
          ErrorCode.ARGUMENT_COUNT);
    }
    int most = function.signature().maxArguments();
    if (most < Integer.MAX_VALUE) {
      checkRefused(inQuantifier(name + "(" + "1, ".repeat(most) + "1)"), ErrorCode.ARGUMENT_COUNT);
    }
    if (!function.takesDistinct() && least > 0) {
      String call = FunctionSamples.calls(function, Origin.VARIABLES).get(0);
      checkRefused(inQuantifier(call.replaceFirst("\\(", "(DISTINCT ")), ErrorCode.NO_DISTINCT);
    }
  }

  private static String inQuantifier(String call) {
    return "SELECT a FROM t WHEN EXISTS v IN a : (" + call + " IS NULL)";
  }

  /** Checks calls in every position, or each in every second one, the next in the others. */
  private void checkPositions(RqlFunction function, Origin origin, int step) {
    List<String> calls = FunctionSamples.calls(function, origin);
    for (int i = 0; i < calls.size(); i++) {
      checkPositions(function, calls.get(i), i % step, step);
    }
  }

  /** Checks positions of a call; a function of a bound name has a value only where one is bound. */
  private void checkPositions(RqlFunction function, String call, int first, int step) {
    if (function instanceof RqlFunction.OfElement) {
      checkRefused("SELECT " + call + " FROM t", ErrorCode.MISMATCH);
      return;
    }
    for (int i = first; i < POSITIONS.size(); i += step) {
      check(POSITIONS.get(i).query(), call, POSITIONS.get(i).place(), function);
    }
  }

  /** Compares the rows of a query, or the error if the place does not accept the call. */
  private void check(String template, String call, Place place, RqlFunction function) {
    String text = template.replace("%s", call);
    FunctionSamples.refusal(function, place)
        .ifPresentOrElse(code -> checkRefused(text, code), () -> checkRows(text));
  }

  /** Compares rows without the cuts that have an error, so that all others are compared. */
  private void checkRows(String rql) {
    String text = rql + " ON ERROR SKIP";
    attempt(
        text,
        () -> {
          PreparedQuery prepared = engine.prepare(text);
          OracleTest.Result result = new OracleTest.Result(text);
          engine.run(prepared, result);
          Statement.Query query = (Statement.Query) OneStatement.of(text);
          NaiveQuery.Answer expected = NaiveQuery.answer(HISTORY, query, OracleTest.IDLE_MICROS);
          assertThat(OracleTest.printed(result.rows(), true))
              .isEqualTo(OracleTest.printed(expected.rows(), true));
        });
  }

  private void checkRefused(String text, ErrorCode expected) {
    attempt(text, () -> assertThat(codes(text)).contains(expected.code()));
  }

  private void checkAlone(String call, Set<ErrorCode> refusal) {
    attempt(
        call,
        () -> {
          if (!refusal.isEmpty()) {
            Set<String> expected = new TreeSet<>();
            refusal.forEach(code -> expected.add(code.code()));
            assertThat(codes(call)).isEqualTo(expected);
            return;
          }
          PreparedQuery prepared = engine.prepare(call);
          Statement.Evaluate parsed = (Statement.Evaluate) OneStatement.of(call);
          NaiveState nowhere = new NaiveState(0, Set.of(), Map.of());
          NaiveEvaluator oracle = new NaiveEvaluator(nowhere, nowhere, Map.of(), Map.of());
          assertThat(orError(() -> value(prepared, engine)))
              .isEqualTo(orError(() -> oracle.item(parsed.expression())));
        });
  }

  private static Value value(PreparedQuery query, QueryEngine engine) {
    OracleTest.Result result = new OracleTest.Result("");
    engine.run(query, result);
    return result.rows().get(0).values().get(0);
  }

  /** Returns a value as text, with the same text for every evaluation error. */
  private static String orError(Supplier<Value> evaluation) {
    try {
      return evaluation.get().toString();
    } catch (RqlException | NoValue e) {
      return "an error";
    }
  }

  private Set<String> codes(String text) {
    try {
      engine.prepare(text);
      return Set.of();
    } catch (RqlException e) {
      Set<String> codes = new TreeSet<>();
      e.diagnostics().forEach((Diagnostic problem) -> codes.add(problem.code()));
      return codes;
    }
  }

  private void attempt(String text, Runnable check) {
    checked++;
    try {
      check.run();
    } catch (RuntimeException | AssertionError e) {
      failures.add(text + ": " + e);
    }
  }

  /** The errors of a single call, or of one below a quantifier that binds v. */
  private record RefusalAlone(boolean bound) implements RqlFunction.Visitor<Set<ErrorCode>> {
    @Override
    public Set<ErrorCode> scalar(RqlFunction.Scalar function) {
      return Set.of();
    }

    @Override
    public Set<ErrorCode> aggregate(RqlFunction.Aggregate function) {
      return Set.of();
    }

    @Override
    public Set<ErrorCode> choice(RqlFunction.Choice function) {
      return Set.of();
    }

    @Override
    public Set<ErrorCode> perNode(RqlFunction.PerNode function) {
      return bound
          ? EnumSet.of(ErrorCode.NO_CUT_HERE, ErrorCode.COLLECTION_AS_VALUE)
          : EnumSet.of(ErrorCode.NO_CUT_HERE);
    }

    @Override
    public Set<ErrorCode> ofVariable(RqlFunction.OfVariable function) {
      return EnumSet.of(ErrorCode.NO_CUT_HERE);
    }

    @Override
    public Set<ErrorCode> ofElement(RqlFunction.OfElement function) {
      return bound ? Set.of() : EnumSet.of(ErrorCode.NO_CUT_HERE, ErrorCode.MISMATCH);
    }

    @Override
    public Set<ErrorCode> ofRows(RqlFunction.OfRows function) {
      return EnumSet.of(ErrorCode.MISPLACED_AGGREGATE);
    }

    @Override
    public Set<ErrorCode> ofCut(RqlFunction.OfCut function) {
      return EnumSet.of(ErrorCode.NO_CUT_HERE);
    }
  }

  /** Events of three nodes, with variables of known types and pauses in which values age. */
  private static List<Event> events() {
    return List.of(
        changes("n1", 1_000, Map.of("a", Value.of(2), "b", Value.of(1.5), "c", Value.of("abc"))),
        changes("n1", 1_000, Map.of("d", Value.of(4), "s", set(1, 2), "u", Value.of(true))),
        changes("n2", 1_000, Map.of("a", Value.of(5), "b", Value.of(-2.5), "c", Value.of("B"))),
        changes("n2", 1_001, Map.of("d", Value.of(7.5), "s", set(2, 3), "u", Value.of(false))),
        changes("n3", 1_002, Map.of("a", Value.of(3), "b", Value.of(4.0), "c", Value.of("ab"))),
        changes("n1", 1_003, Map.of("a", Value.of(2), "c", NullValue.NULL)),
        changes("n2", 1_005, Map.of("a", Value.of(4), "d", Value.of(-3.0))),
        changes("n1", 1_011, Map.of("a", Value.of(7), "b", Value.of(0.25), "s", set())),
        new Event("n3", "t", HlcTimestamp.pack(1_012), unset("a")),
        changes("n3", 1_013, Map.of("d", Value.of(1), "s", set(9), "u", NullValue.NULL)),
        changes("n2", 1_019, Map.of("a", Value.of(1), "b", Value.of(9.0), "c", Value.of("5"))),
        new Event("n1", "", HlcTimestamp.pack(1_030), new EventBody.Heartbeat()));
  }

  private static Event changes(String node, long micros, Map<String, Value> values) {
    List<Change> changes = new ArrayList<>();
    new TreeMap<>(values).forEach((name, v) -> changes.add(new Change(Operation.SET, name, v)));
    return new Event(node, "t", HlcTimestamp.pack(micros), new EventBody.StateChange(changes));
  }

  private static EventBody unset(String variable) {
    return new EventBody.StateChange(
        List.of(new Change(Operation.UNSET, variable, NullValue.NULL)));
  }

  private static Value set(long... elements) {
    return Value.setOf(Arrays.stream(elements).mapToObj(Value::of).toArray(Value[]::new));
  }
}
