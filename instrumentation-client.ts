/** Next calls this function whenever a navigation begins in the browser. */
export { navigationStarts as onRouterTransitionStart } from "@/app/_ui/frame/navigations";
