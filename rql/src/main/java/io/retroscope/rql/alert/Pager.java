// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The decision which notices follow from the episodes of an alert. It compares the episodes with
 * what receivers know, so that it does not matter in which order, or how often, edges were found.
 * Used by one thread.
 */
public final class Pager {
  private final AlertSettings settings;
  private final Map<String, Page> pages = new LinkedHashMap<>();

  /** Creates a pager of an alert, with what receivers know already. */
  public Pager(AlertSettings settings, Collection<Page> known) {
    this.settings = settings;
    known.forEach(page -> pages.put(page.episode(), page));
  }

  /**
   * The circumstances of a decision.
   *
   * @param reachedHlc packed, up to which the edges are known
   * @param isDoubtful whether a node that counts is silent, or events that came late are yet to be
   *     walked: then no episode is reported as over
   * @param isMuted whether nothing is sent
   * @param nowMicros on the clock of the evaluation
   */
  public record Circumstances(
      long reachedHlc, boolean isDoubtful, boolean isMuted, long nowMicros) {}

  /**
   * What a decision changes.
   *
   * @param pages that are new or other than before
   * @param past episodes that ended long ago, and have no notices of their own
   */
  public record Outcome(List<Notice> notices, List<Page> pages, List<AlertEpisode> past) {
    /** Copies the lists. */
    public Outcome {
      notices = List.copyOf(notices);
      pages = List.copyOf(pages);
      past = List.copyOf(past);
    }
  }

  /** Decides about all episodes that are present. */
  public Outcome decide(List<AlertEpisode> episodes, Circumstances at) {
    List<Notice> notices = new ArrayList<>();
    List<Page> changed = new ArrayList<>();
    List<AlertEpisode> past = new ArrayList<>();
    Set<String> present = new HashSet<>();
    for (AlertEpisode episode : episodes) {
      present.add(episode.id());
      Page before = pages.get(episode.id());
      boolean isPast = isPast(episode, before, at);
      Page after = isPast ? past(episode) : next(episode, before, at, notices);
      if (isPast) {
        past.add(episode);
      }
      if (!after.equals(before)) {
        pages.put(episode.id(), after);
        changed.add(after);
      }
    }
    for (Page page : List.copyOf(pages.values())) {
      boolean waits = page.state() == Page.State.FIRING && at.isDoubtful();
      if (!present.contains(page.episode()) && page.state() != Page.State.RETRACTED && !waits) {
        boolean isKnown = page.state() == Page.State.FIRING || page.state() == Page.State.RESOLVED;
        Page after = page.as(Page.State.RETRACTED, page.endHlc(), isKnown);
        pages.put(page.episode(), after);
        changed.add(after);
        if (isKnown) {
          notices.add(ended(after, true, "it did not happen: events that came late show it"));
        }
      }
    }
    return new Outcome(notices, changed, past);
  }

  /** Whether an episode that was not met before was over long ago. */
  private boolean isPast(AlertEpisode episode, @Nullable Page before, Circumstances at) {
    return before == null
        && !at.isMuted()
        && !at.isDoubtful()
        && !(episode.isBorderline() && !settings.pagesBorderline())
        && episode.isOver(at.reachedHlc(), settings.keepMicros())
        && at.nowMicros() - HlcTimestamp.micros(end(episode)) > settings.summarizeMicros();
  }

  private static Page past(AlertEpisode episode) {
    return new Page(episode.id(), episode.item(), Page.State.RECORDED, 0, end(episode), "");
  }

  private Page next(
      AlertEpisode episode, @Nullable Page before, Circumstances at, List<Notice> notices) {
    Page page =
        before == null
            ? new Page(
                episode.id(), episode.item(), Page.State.RECORDED, 0, HlcTimestamp.MIN_PACKED, "")
            : before;
    if (page.state() != Page.State.FIRING && page.state() != Page.State.RESOLVED) {
      page = unknown(episode, page, at, notices);
    }
    if (page.state() == Page.State.RESOLVED) {
      page = corrected(episode, page, at, notices);
    }
    if (page.state() == Page.State.FIRING
        && !at.isDoubtful()
        && episode.isOver(at.reachedHlc(), settings.keepMicros())) {
      page = page.as(Page.State.RESOLVED, end(episode), true);
      notices.add(notice(episode, page, Notice.Kind.RESOLVED, isCorrection(before), ""));
    }
    return page;
  }

  /** Whether receivers have heard that the episode is over, or never was. */
  private static boolean isCorrection(@Nullable Page before) {
    return before != null
        && before.sent() > 0
        && (before.state() == Page.State.RESOLVED || before.state() == Page.State.RETRACTED);
  }

  /** An episode that receivers do not know, or think never was. */
  private Page unknown(AlertEpisode episode, Page page, Circumstances at, List<Notice> notices) {
    boolean isShort =
        episode.isBorderline()
            && !settings.pagesBorderline()
            && (episode.fall().isPresent() || episode.rise().isBorderline());
    boolean wasMuted = page.state() == Page.State.MUTED && episode.fall().isPresent();
    boolean isSettled = page.state() == Page.State.RECORDED && page.endHlc() == end(episode);
    if (isShort || wasMuted || (isSettled && episode.fall().isPresent())) {
      return page.as(Page.State.RECORDED, end(episode), false);
    }
    if (at.isMuted()) {
      return page.as(
          episode.fall().isPresent() ? Page.State.RECORDED : Page.State.MUTED, end(episode), false);
    }
    Page firing = page.as(Page.State.FIRING, HlcTimestamp.MIN_PACKED, true);
    notices.add(notice(episode, firing, Notice.Kind.FIRING, page.sent() > 0, ""));
    return firing;
  }

  /** An episode that receivers take to be over. */
  private Page corrected(AlertEpisode episode, Page page, Circumstances at, List<Notice> notices) {
    if (end(episode) == page.endHlc() || at.isDoubtful()) {
      return page;
    }
    if (episode.isOver(at.reachedHlc(), settings.keepMicros())) {
      Page resolved = page.as(Page.State.RESOLVED, end(episode), true);
      notices.add(
          notice(
              episode, resolved, Notice.Kind.RESOLVED, true, "events that came late move its end"));
      return resolved;
    }
    Page firing = page.as(Page.State.FIRING, HlcTimestamp.MIN_PACKED, true);
    notices.add(
        notice(
            episode,
            firing,
            Notice.Kind.FIRING,
            true,
            "it is not over: events that came late show it"));
    return firing;
  }

  private static long end(AlertEpisode episode) {
    return episode.fall().map(Edge::hlc).orElse(HlcTimestamp.MIN_PACKED);
  }

  private static Notice notice(
      AlertEpisode episode, Page page, Notice.Kind kind, boolean corrects, String reason) {
    return new Notice(
        episode.id(),
        episode.item(),
        kind,
        page.sent(),
        corrects,
        reason,
        Optional.of(episode.rise()),
        kind == Notice.Kind.RESOLVED ? episode.fall() : Optional.empty());
  }

  private static Notice ended(Page page, boolean corrects, String reason) {
    return new Notice(
        page.episode(),
        page.item(),
        Notice.Kind.RESOLVED,
        page.sent(),
        corrects,
        reason,
        Optional.empty(),
        Optional.empty());
  }

  /** Ends all episodes that receivers take to hold, because the alert is no longer evaluated. */
  public Outcome end(String reason) {
    List<Notice> notices = new ArrayList<>();
    List<Page> changed = new ArrayList<>();
    for (Page page : List.copyOf(pages.values())) {
      if (page.state() == Page.State.FIRING || page.state() == Page.State.MUTED) {
        boolean isKnown = page.state() == Page.State.FIRING;
        Page after =
            page.as(isKnown ? Page.State.RESOLVED : Page.State.RECORDED, page.endHlc(), isKnown);
        pages.put(page.episode(), after);
        changed.add(after);
        if (isKnown) {
          notices.add(ended(after, false, reason));
        }
      }
    }
    return new Outcome(notices, changed, List.of());
  }

  /** Forgets what receivers know of episodes that can no longer change. */
  public void forget(Set<String> episodes) {
    pages.keySet().removeAll(episodes);
  }

  /**
   * Acknowledges the episodes that hold.
   *
   * @param which which of them
   * @return the pages that changed
   */
  public List<Page> acknowledge(Predicate<Page> which, String by) {
    List<Page> changed = new ArrayList<>();
    for (Page page : List.copyOf(pages.values())) {
      boolean holds = page.state() == Page.State.FIRING || page.state() == Page.State.MUTED;
      if (holds && which.test(page)) {
        Page after = page.acknowledged(by);
        pages.put(page.episode(), after);
        changed.add(after);
      }
    }
    return changed;
  }

  /** What receivers know, in the order of their first messages. */
  public List<Page> pages() {
    return List.copyOf(pages.values());
  }
}
