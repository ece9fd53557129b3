// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the cookbook's recipes about histories find what a checker of linearizability finds,
 * which tries all orders of the operations.
 */
class HistoryRecipesTest {
  private static final int SEEDS = 60;

  /** No value, no process. */
  private static final int NIL = -1;

  @TempDir private Path folder;

  /** An operation: the places in the history at which it begins and ends. */
  private static final class Op {
    private final int process;
    private final String f;
    private final int begin;
    private int end = Integer.MAX_VALUE;
    private String type = "info";
    private int value;

    Op(int process, String f, int value, int begin) {
      this.process = process;
      this.f = f;
      this.value = value;
      this.begin = begin;
    }
  }

  /** A history of a few processes. */
  private static final class History {
    private final StringBuilder edn = new StringBuilder();
    private final List<Op> ops = new ArrayList<>();
    private int index;

    Op invoke(int process, String f, int value) {
      Op op = new Op(process, f, value, index);
      ops.add(op);
      line("invoke", op);
      return op;
    }

    void complete(Op op, String type) {
      op.type = type;
      op.end = type.equals("info") ? Integer.MAX_VALUE : index;
      line(type, op);
    }

    private void line(String type, Op op) {
      String shown =
          op.value == NIL || (op.f.equals("read") && !type.equals("ok"))
              ? "nil"
              : Integer.toString(op.value);
      edn.append(
          "{:type :%s, :f :%s, :value %s, :process %d, :time %d, :index %d}%n"
              .formatted(type, op.f, shown, op.process, 1_000_000L * index, index));
      index++;
    }

    /** Whether some order of the operations explains all results, by trying all of them. */
    boolean isLinearizable(Model model) {
      List<Op> possible = new ArrayList<>(ops);
      possible.removeIf(op -> op.type.equals("fail"));
      return isLinearizable(possible, model.initial(), model);
    }

    private static boolean isLinearizable(List<Op> left, int state, Model model) {
      if (left.stream().noneMatch(op -> op.type.equals("ok"))) {
        return true;
      }
      int firstEnd = left.stream().mapToInt(op -> op.end).min().orElse(Integer.MAX_VALUE);
      for (Op op : left) {
        int next = op.begin > firstEnd ? Model.IMPOSSIBLE : model.step(state, op);
        if (next != Model.IMPOSSIBLE) {
          List<Op> rest = new ArrayList<>(left);
          rest.remove(op);
          if (isLinearizable(rest, next, model)) {
            return true;
          }
        }
      }
      return false;
    }
  }

  /** What an operation does to the state. */
  private interface Model {
    int IMPOSSIBLE = Integer.MIN_VALUE;

    int initial();

    int step(int state, Op op);
  }

  private static final Model LOCK =
      new Model() {
        @Override
        public int initial() {
          return NIL;
        }

        @Override
        public int step(int state, Op op) {
          return op.f.equals("acquire")
              ? state == NIL ? op.process : IMPOSSIBLE
              : state == op.process ? NIL : IMPOSSIBLE;
        }
      };

  private static final Model REGISTER =
      new Model() {
        @Override
        public int initial() {
          return NIL;
        }

        @Override
        public int step(int state, Op op) {
          if (op.f.equals("write")) {
            return op.value;
          }
          return !op.type.equals("ok") || op.value == state ? state : IMPOSSIBLE;
        }
      };

  /** A lock service that now and then gives a lock to a second process. */
  private static History locks(Random random) {
    History history = new History();
    int processes = 3;
    Op[] open = new Op[processes];
    boolean[] holds = new boolean[processes];
    int holder = NIL;
    for (int step = 0; step < 22; step++) {
      int p = random.nextInt(processes);
      Op op = open[p];
      if (op == null) {
        Op begun = history.invoke(p, holds[p] ? "release" : "acquire", NIL);
        open[p] = begun;
        if (holds[p] && random.nextInt(6) == 0) {
          // The recipe does not know the end of a release that is under way.
          history.complete(begun, "fail");
          open[p] = null;
        }
      } else if (op.f.equals("release")) {
        history.complete(op, "ok");
        holds[p] = false;
        holder = holder == p ? NIL : holder;
        open[p] = null;
      } else {
        boolean isGiven = holder == NIL || random.nextInt(12) == 0;
        history.complete(op, isGiven ? "ok" : "fail");
        holds[p] = isGiven;
        holder = isGiven ? p : holder;
        open[p] = null;
      }
    }
    return history;
  }

  /** A register, a read of which now and then returns what nobody wrote. */
  private static History register(Random random) {
    History history = new History();
    int processes = 3;
    Op[] open = new Op[processes];
    int state = NIL;
    int written = 0;
    boolean isWrong = random.nextBoolean();
    for (int step = 0; step < 20; step++) {
      int p = random.nextInt(processes);
      Op op = open[p];
      if (op == null) {
        boolean reads = random.nextBoolean();
        open[p] = history.invoke(p, reads ? "read" : "write", reads ? NIL : ++written);
      } else if (op.f.equals("write")) {
        int fate = random.nextInt(6);
        state = fate == 0 ? state : op.value;
        history.complete(op, fate == 0 ? "fail" : fate == 1 ? "info" : "ok");
        open[p] = null;
      } else {
        boolean isInvented = isWrong && random.nextInt(4) == 0;
        op.value = isInvented ? 100 + step : state;
        history.complete(op, "ok");
        open[p] = null;
      }
    }
    return history;
  }

  private static String recipe(String heading) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "rql", "cookbook.md"));
    int at = page.indexOf("### " + heading + "\n");
    int from = page.indexOf("```rql\n", at) + "```rql\n".length();
    assertThat(at).as(heading).isPositive();
    return page.substring(from, page.indexOf("```", from));
  }

  private boolean finds(History history, String recipe) throws IOException {
    Path file = folder.resolve("history.edn");
    Files.writeString(file, history.edn);
    Path rule = folder.resolve("rule.rql");
    Files.writeString(rule, "CREATE RULE r AS (" + recipe.strip().replaceFirst(";$", "") + ");");
    CommandRun run = CommandRun.of("check", rule.toString(), file.toString(), "--format", "json");
    assertThat(run.exitCode()).as(run.out() + run.err()).isBetween(0, 1);
    assertThat(run.out()).doesNotContain("\"borderline\":true");
    return run.exitCode() == 1;
  }

  private void check(
      String heading, java.util.function.Function<Random, History> maker, Model model)
      throws IOException {
    String recipe = recipe(heading);
    int broken = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = maker.apply(new Random(seed * 7_919 + 1));
      boolean isLinearizable = history.isLinearizable(model);
      broken += isLinearizable ? 0 : 1;
      assertThat(finds(history, recipe))
          .as("seed %d:%n%s", seed, history.edn)
          .isEqualTo(!isLinearizable);
    }
    assertThat(broken).isBetween(SEEDS / 6, SEEDS * 5 / 6);
  }

  @Test
  void locksHeldTwice_areThoseOfTheChecker() throws IOException {
    check("Did two processes of a test hold a lock at once?", HistoryRecipesTest::locks, LOCK);
  }

  @Test
  void valuesNeverWritten_areThoseOfTheChecker() throws IOException {
    check("Did a read return what was never written?", HistoryRecipesTest::register, REGISTER);
  }
}
