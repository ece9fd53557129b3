// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.IncompletenessJson;
import io.retroscope.server.store.QuarantineSelection;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.run.Incarnation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A record of a partition that changes what all of its stores keep, so that they stay equal. A
 * server without a cluster skips it, as it does any record without a block. Immutable.
 */
public sealed interface Directive {
  /** The key of such records, which are sent to a partition by its number. */
  static byte[] key() {
    return "retroscope".getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The removal of all events up to a stamp, except those that are younger than an age at the time
   * of the record.
   *
   * @param hlc packed, the last stamp that is removed
   * @param ageMicros positive
   */
  record Trim(long hlc, long ageMicros) implements Directive {}

  /**
   * The removal of what retention has left of runs and nodes.
   *
   * @param forgotten runs that will not return
   * @param gone forgotten runs whose blocks no longer need to be known
   * @param nodes those whose lifetimes that ended before history begins are removed
   */
  record Expire(List<Incarnation.Name> forgotten, List<Incarnation.Name> gone, List<String> nodes)
      implements Directive {
    /** Copies the lists. */
    public Expire {
      forgotten = List.copyOf(forgotten);
      gone = List.copyOf(gone);
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * The release or the deletion of quarantined events.
   *
   * @param nodes the nodes of the events; empty for all nodes
   * @param from packed, the lowest of the events' stamps
   * @param to packed, the highest of the events' stamps
   * @param keeps whether the events are stored, whatever their stamps, or deleted
   */
  record Quarantined(Set<String> nodes, long from, long to, boolean keeps) implements Directive {
    /** Copies the nodes. */
    public Quarantined {
      nodes = Set.copyOf(nodes);
    }

    /** The directive for a selection. */
    public static Quarantined of(QuarantineSelection selection, boolean keeps) {
      return new Quarantined(
          selection.nodes(), selection.range().from(), selection.range().to(), keeps);
    }

    QuarantineSelection selection() {
      return new QuarantineSelection(nodes, new HlcRange(from, to));
    }
  }

  /**
   * What lines of events state about events that are missing.
   *
   * @param gaps the losses that they report
   * @param reasons other reasons why their events may be incomplete, each as JSON
   */
  record Stated(List<Gap> gaps, List<String> reasons) implements Directive {
    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if a text is no reason
     */
    public Stated {
      gaps = List.copyOf(gaps);
      reasons = List.copyOf(reasons);
      reasons.forEach(IncompletenessJson::read);
    }

    Submission.Lines submission() {
      return new Submission.Lines(
          List.of(),
          List.of(),
          gaps,
          reasons.stream().map(IncompletenessJson::read).toList(),
          reasons.stream().mapToLong(String::length).sum());
    }
  }

  /** The value of the record. */
  default byte[] value() {
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    value.writeBytes(Kind.of(this).prefix());
    value.writeBytes(Kind.MAPPER.writeValueAsBytes(this));
    return value.toByteArray();
  }

  /**
   * The directive of a record; empty if the record contains none.
   *
   * @throws UnknownException if it contains one that this version of the program does not know
   */
  static Optional<Directive> of(byte @Nullable [] value) throws UnknownException {
    if (value == null || !isAny(value)) {
      return Optional.empty();
    }
    for (Kind kind : Kind.values()) {
      if (kind.begins(value)) {
        return Optional.of(kind.read(value));
      }
    }
    throw new UnknownException(null);
  }

  /** Most records contain blocks of events, and are not looked at further. */
  private static boolean isAny(byte[] value) {
    return value.length > 0
        && value[0] == 'r'
        && Kind.FORM.matcher(new String(value, StandardCharsets.UTF_8)).matches();
  }

  /** A directive of another version. A store that skipped it would differ from its copies. */
  final class UnknownException extends Exception {
    private static final long serialVersionUID = 1;

    UnknownException(@Nullable Throwable cause) {
      super(
          "it is a directive of another version of Retroscope: run one version on all servers",
          cause);
    }
  }

  /** The kinds of directives, by the text with which their records begin. */
  enum Kind {
    /** See {@link Directive.Trim}. */
    TRIM("retroscope: trim ", Trim.class),
    /** See {@link Directive.Expire}. */
    EXPIRE("retroscope: expire ", Expire.class),
    /** See {@link Directive.Quarantined}. */
    QUARANTINED("retroscope: quarantined ", Quarantined.class),
    /** See {@link Directive.Stated}. */
    STATED("retroscope: stated ", Stated.class);

    /** The form of those of all versions: their kind, and their content as a JSON object. */
    private static final Pattern FORM = Pattern.compile("retroscope: \\w+ \\{.*}", Pattern.DOTALL);

    private static final JsonMapper MAPPER =
        JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .changeDefaultVisibility(
                visible ->
                    visible
                        .withVisibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
                        .withVisibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
                        .withVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY))
            .build();

    private final byte[] prefix;
    private final Class<? extends Directive> type;

    Kind(String prefix, Class<? extends Directive> type) {
      this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
      this.type = type;
    }

    private static Kind of(Directive directive) {
      return Arrays.stream(values())
          .filter(kind -> kind.type.isInstance(directive))
          .findFirst()
          .orElseThrow();
    }

    private byte[] prefix() {
      return prefix;
    }

    private boolean begins(byte[] value) {
      return value.length > prefix.length
          && Arrays.equals(value, 0, prefix.length, prefix, 0, prefix.length);
    }

    private Directive read(byte[] value) throws UnknownException {
      try {
        return MAPPER.readValue(value, prefix.length, value.length - prefix.length, type);
      } catch (JacksonException e) {
        throw new UnknownException(e);
      }
    }
  }
}
