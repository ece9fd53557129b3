// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * The extension of {@link Rules}; with {@code @RegisterExtension}, it has the rules of all tests of
 * a class:
 *
 * <pre>{@code
 * @RegisterExtension static final ClusterExtension CLUSTER = ClusterExtension.rules("election.rql");
 * }</pre>
 *
 * <p>Each test has a {@link Cluster} of its own, whose events are written to a file of its own in a
 * folder of {@code target/retroscope} for this run of the tests; {@link #DIRECTORY} and {@link
 * #RUN} name other folders. Beside it, a failed test has a page that shows the events: an HTML file
 * that opens without a server. Immutable; tests may run in parallel.
 */
public final class ClusterExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  /** The configuration parameter with the folder of the recorded files. */
  public static final String DIRECTORY = "retroscope.directory";

  /**
   * The configuration parameter with the name of the folder in it for this run of the tests; empty
   * for none. Without it, the name is the time at which the run began.
   */
  public static final String RUN = "retroscope.run";

  private static final Namespace NAMESPACE = Namespace.create(ClusterExtension.class);

  private final List<String> files;

  /** For {@code @ExtendWith}: the rules are those of {@link Rules}. */
  public ClusterExtension() {
    this(List.of());
  }

  private ClusterExtension(List<String> files) {
    this.files = List.copyOf(files);
  }

  /**
   * An extension with rules, in addition to those of {@link Rules}.
   *
   * @param files as {@link Rules#value}
   */
  public static ClusterExtension rules(String... files) {
    return new ClusterExtension(List.of(files));
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    Store store = context.getStore(NAMESPACE);
    TestRun known = store.get(TestRun.class, TestRun.class);
    if (known != null) {
      // Another instance of this extension, with rules of its own.
      known.rules().add(context.getRequiredTestClass(), files);
      return;
    }
    Path file = RecordedFile.in(RunFolder.of(context), context);
    Cluster cluster = new Cluster(file, PhysicalClock.system(), Recording.MAX_BYTES);
    TestRun run = new TestRun(this, cluster, new RuleFiles());
    store.put(TestRun.class, run);
    run.rules().add(context.getRequiredTestClass(), files);
    for (AnnotatedElement element : elements(context)) {
      Optional<Rules> rules = AnnotationSupport.findAnnotation(element, Rules.class);
      if (rules.isPresent()) {
        run.rules().add(owner(element, context), List.of(rules.get().value()));
      }
    }
  }

  /** The test's class, the classes around it, and the method. */
  private static List<AnnotatedElement> elements(ExtensionContext context) {
    List<AnnotatedElement> elements = new ArrayList<>();
    Class<?> type = context.getRequiredTestClass();
    while (type != null) {
      elements.add(0, type);
      type = type.getEnclosingClass();
    }
    elements.add(context.getRequiredTestMethod());
    return elements;
  }

  /** The class whose source has an annotation, beside which its resources are. */
  private static Class<?> owner(AnnotatedElement element, ExtensionContext context) {
    if (!(element instanceof Class<?> type)) {
      return context.getRequiredTestMethod().getDeclaringClass();
    }
    Class<?> owner = type;
    while (owner.getSuperclass() != null && owner.getDeclaredAnnotation(Rules.class) == null) {
      owner = owner.getSuperclass();
    }
    return owner.getDeclaredAnnotation(Rules.class) == null ? type : owner;
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    TestRun run = context.getStore(NAMESPACE).remove(TestRun.class, TestRun.class);
    if (run == null) {
      return;
    }
    Cluster cluster = run.cluster();
    try {
      List<String> problems = new ArrayList<>();
      List<Event> events = cluster.write(problems);
      Optional<Throwable> thrown = context.getExecutionException();
      if (thrown.isPresent() && thrown.get() instanceof TestAbortedException) {
        return;
      }
      TestVerdicts verdicts =
          new TestVerdicts(
              names(context, ExpectBroken.class, ExpectBroken::value),
              names(context, AllowInconclusive.class, AllowInconclusive::value),
              thrown.isPresent());
      verdicts.check(run.rules(), cluster.file(), events, problems);
      if (verdicts.failures().isEmpty()) {
        verdicts
            .page()
            .ifPresent(
                page ->
                    context.publishReportEntry("retroscope", "the page that shows it: " + page));
      }
      verdicts.remarks().forEach(remark -> context.publishReportEntry("retroscope", remark));
      if (!verdicts.failures().isEmpty()) {
        throw new AssertionError(verdicts.message());
      }
    } finally {
      cluster.close();
    }
  }

  private static <A extends Annotation> Set<String> names(
      ExtensionContext context, Class<A> annotation, Function<A, String[]> value) {
    Set<String> names = new LinkedHashSet<>();
    for (AnnotatedElement element : elements(context)) {
      AnnotationSupport.findAnnotation(element, annotation)
          .ifPresent(found -> names.addAll(List.of(value.apply(found))));
    }
    return names;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    TestRun run = context.getStore(NAMESPACE).get(TestRun.class, TestRun.class);
    // JUnit refuses a parameter that two extensions support.
    return parameter.getParameter().getType() == Cluster.class
        && (run == null || run.first() == this);
  }

  @Override
  public Cluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestRun run = context.getStore(NAMESPACE).get(TestRun.class, TestRun.class);
    if (run == null) {
      throw new ParameterResolutionException(
          "a Cluster belongs to one test: it can be a parameter of the test method, and of"
              + " @BeforeEach and @AfterEach");
    }
    return run.cluster();
  }

  /**
   * The state of one test.
   *
   * @param first of the instances that extend the test
   */
  private record TestRun(ClusterExtension first, Cluster cluster, RuleFiles rules) {}
}
