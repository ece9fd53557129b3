// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.Caller;
import io.retroscope.server.access.Quota;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import jakarta.servlet.AsyncContext;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of every request before its body is read: the name of the server, the site on whose
 * behalf a browser sends the request, the caller, and the type of the body. Thread-safe.
 */
final class Gate {
  /*
   * Without tokens, every client that can connect has all permissions, and so does every web page
   * that is open on the machine. Three checks exclude pages of other sites: a Host that is not the
   * server's name (421), a foreign Origin (403), and a body of a media type that browsers send
   * without a preflight request (415). A request with a valid token skips all three, because a
   * browser does not add an Authorization header by itself. Client certificates do not count here,
   * because browsers do add those.
   */
  private static final int MAX_SHOWN = 100;
  private static final int MAX_STATEMENT = 300;
  private static final Logger audit = LoggerFactory.getLogger("audit");

  private final AccessControl access;

  Gate(AccessControl access) {
    this.access = access;
  }

  /**
   * Admits a request by its headers alone, before anything of its body is read.
   *
   * @param wanted the route that it names, if there is such a route
   * @throws ProblemException if it is refused
   */
  void admit(Request request, Optional<Route> wanted) {
    Optional<String> authorization = header(request, HttpHeader.AUTHORIZATION);
    Caller caller = access.caller(authorization);
    if (!caller.identified()) {
      checkOrigin(request, wanted);
    }
    Route route = wanted.orElseThrow(() -> nothing(request));
    checkAccess(route, caller, request);
    if (route instanceof Route.Post post && !caller.identified()) {
      checkMediaType(post, request);
    }
    new Admission(access, authorization, route, caller).attach(request);
  }

  private static ProblemException nothing(Request request) {
    return ProblemException.of(
        404,
        "Nothing is here",
        "no " + printable(request.getHttpURI().getPath()) + "; see docs/format/http.md");
  }

  /**
   * Whether a browser opens the console's page because a link in another page was followed, such as
   * the one in an alert. The page has no data, and cannot be in a frame.
   */
  private static boolean isFollowedLink(Request request, Optional<Route> wanted) {
    return wanted.filter(ConsoleEndpoint::isPage).isPresent()
        && header(request, HttpHeader.ORIGIN).isEmpty()
        && "navigate".equals(request.getHeaders().get("Sec-Fetch-Mode"))
        && "document".equals(request.getHeaders().get("Sec-Fetch-Dest"));
  }

  private void checkOrigin(Request request, Optional<Route> wanted) {
    String host = Objects.requireNonNullElse(Request.getServerName(request), "");
    if (!access.allowsHost(host)) {
      throw ProblemException.of(
          421,
          "The server does not have this name",
          "requests may not call it \"%s\"; start it with --allow-host %s if that is its name"
              .formatted(printable(host), printable(host)));
    }
    if (!isFollowedLink(request, wanted)
        && access.isForeign(
            request.getHttpURI().getScheme(),
            authority(request),
            header(request, HttpHeader.ORIGIN),
            Optional.ofNullable(request.getHeaders().get("Sec-Fetch-Site")))) {
      throw ProblemException.of(
          403,
          "The request is from another site",
          "a browser sent it for a page that is not the server's; if the page is, start the server"
              + " with --public-url and the page's address");
    }
  }

  private static void checkAccess(Route route, Caller caller, Request request) {
    if (route.access().isGrantedTo(caller)) {
      return;
    }
    if (route.isAudited()) {
      audit(caller, Request.getRemoteAddr(request), route.name(), "refused");
    }
    if (!caller.identified() && header(request, HttpHeader.AUTHORIZATION).isPresent()) {
      throw ProblemException.of(
          401,
          "The token is not known",
          "this server does not know the token that was sent, or has revoked it; the commands of"
              + " Retroscope read theirs from RETROSCOPE_TOKEN, --token-file or"
              + " ~/.config/retroscope/token");
    }
    if (!caller.identified()) {
      throw ProblemException.of(
          401,
          "A token is needed",
          "send Authorization: Bearer and a token of this server; the commands of Retroscope read"
              + " it from RETROSCOPE_TOKEN, --token-file or ~/.config/retroscope/token");
    }
    throw missing(route.access(), caller);
  }

  private static void checkMediaType(Route.Post route, Request request) {
    String sent = header(request, HttpHeader.CONTENT_TYPE).orElse("");
    String type = sent.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (route.mediaTypes().contains(type)) {
      return;
    }
    throw ProblemException.of(
        415,
        "The request must name its media type",
        "%s is not accepted here; send one of %s: curl -H 'Content-Type: %s' --data-binary @- %s"
            .formatted(
                type.isEmpty() ? "a body without a media type" : printable(type),
                String.join(", ", route.mediaTypes()),
                route.mediaTypes().get(0),
                request.getHttpURI().getScheme() + "://" + authority(request) + route.path()));
  }

  /** A handler that runs only for requests that were admitted to its route. */
  static Handler guard(Route route, Handler handler) {
    return context -> {
      if (!Admission.of(context).route().name().equals(route.name())) {
        throw new AssertionError("a request for another route came to " + route.name());
      }
      if (route.access() != Access.ADMIN) {
        handler.handle(context);
        return;
      }
      String outcome = "failed";
      try {
        handler.handle(context);
        outcome = "done";
      } finally {
        audit(context, route.name(), outcome);
      }
    };
  }

  /** The caller of a request. */
  static Caller caller(Context context) {
    return Admission.of(context).caller();
  }

  /** A handler that counts as one of the caller's queries. */
  static Handler asQuery(Metrics metrics, Handler handler) {
    return context -> {
      Quota.Lease lease = lease(context, caller(context).quota().query(), "queries", metrics);
      try {
        handler.handle(context);
      } finally {
        lease.end();
      }
    };
  }

  /** A handler that counts as one of the caller's live queries. */
  static Handler asStream(Metrics metrics, Handler handler) {
    return asStreams(metrics, context -> 1, answering(handler));
  }

  private static Following answering(Handler handler) {
    return context -> {
      handler.handle(context);
      return CompletableFuture.completedFuture(null);
    };
  }

  /** A handler whose answer continues after it has returned. */
  interface Following {
    /** Begins the answer; the result is completed when the answer has ended. */
    CompletableFuture<Void> begin(Context context) throws Exception;
  }

  /**
   * A handler that counts as some of the caller's live queries until its answer has ended.
   *
   * @param count the number that a request starts; it may refuse the request
   */
  static Handler asStreams(Metrics metrics, ToIntFunction<Context> count, Following handler) {
    return context -> {
      Optional<Quota.Lease> leased = caller(context).quota().streams(count.applyAsInt(context));
      Quota.Lease lease = lease(context, leased, "streams", metrics);
      CompletableFuture<Void> ended;
      try {
        ended = handler.begin(context);
      } catch (Throwable e) {
        lease.end();
        throw e;
      }
      CompletableFuture<Void> released = ended.whenComplete((end, failure) -> lease.end());
      if (!released.isDone()) {
        completeAfter(released, context);
      }
    };
  }

  private static void completeAfter(CompletableFuture<Void> end, Context context) {
    AsyncContext async = context.req().startAsync();
    async.setTimeout(0);
    // Javalin must not complete the request: it would read one that may be over.
    context.future(CompletableFuture::new);
    var unused =
        end.whenComplete(
            (ended, failure) -> {
              try {
                async.complete();
              } catch (IllegalStateException e) {
                // The client has disconnected, which has ended the request already.
              }
            });
  }

  private static Quota.Lease lease(
      Context context, Optional<Quota.Lease> lease, String name, Metrics metrics) {
    if (lease.isPresent()) {
      return lease.get();
    }
    String caller = caller(context).name();
    metrics.increment(Count.QUOTA_REFUSED, caller);
    context.header("Retry-After", "5");
    throw ProblemException.of(
        429,
        "The token's quota is used up",
        "this would be more %s than the token of %s allows at the same time; run fewer"
            .formatted(name, caller));
  }

  /**
   * Admits an administrative statement if the caller may run it; it is written to the audit log in
   * either case.
   */
  static void administer(Context context, String statement) {
    admit(Access.ADMIN, context, statement);
  }

  /**
   * Admits a statement that changes how alerts are reported, which is written to the audit log in
   * either case.
   */
  static void change(Context context, String statement) {
    admit(Access.ALERTS, context, statement);
  }

  private static void admit(Access needed, Context context, String statement) {
    Caller caller = caller(context);
    boolean may = needed.isGrantedTo(caller);
    audit(context, printable(statement, MAX_STATEMENT), may ? "allowed" : "refused");
    if (!may) {
      throw missing(needed, caller);
    }
  }

  private static ProblemException missing(Access needed, Caller caller) {
    return ProblemException.of(
        403,
        "The token has another role",
        "this needs the role %s, which the token of %s does not have"
            .formatted(needed.roles(), caller.name()));
  }

  private static void audit(Context context, String what, String outcome) {
    audit(caller(context), context.req().getRemoteAddr(), what, outcome);
  }

  private static void audit(Caller caller, String address, String what, String outcome) {
    audit.info("{} {} by {} from {}", outcome, what, caller.name(), address);
  }

  private static String authority(Request request) {
    int port = Request.getServerPort(request);
    boolean standard = port <= 0 || port == (request.isSecure() ? 443 : 80);
    return Request.getServerName(request) + (standard ? "" : ":" + port);
  }

  private static Optional<String> header(Request request, HttpHeader name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  /** Replaces unprintable characters, because the text comes from the client. */
  private static String printable(String text) {
    return printable(text.replaceAll("[^\\w.:/+\\[\\]-]", "?"), MAX_SHOWN);
  }

  private static String printable(String text, int maxLength) {
    String clean = text.replaceAll("[^\\x20-\\x7e]", "?");
    return clean.substring(0, Math.min(clean.length(), maxLength));
  }
}
