import { expect, it } from "vitest";
import { ApiError } from "@/api/problem";
import { EMPTY, faultsOf, refusedFields } from "./applied";

const GOOD = { ...EMPTY, team_name: "Owls", team_id: "owls", person_name: "Olga", contact: "o@example.org" };

it("names every field that is wrong at once", () => {
  expect(faultsOf({ ...EMPTY, team_id: "Red Owls", contact: "nobody" })).toEqual({
    team_name: "missing",
    team_id: "form",
    person_name: "missing",
    contact: "form",
    accepts_rules: "unaccepted",
  });
  expect(faultsOf({ ...GOOD, accepts_rules: true })).toEqual({});
});

it("puts the platform's refusal beside the field that it is about", () => {
  const body = {
    error: {
      ...{ code: "known_team", message: "Taken.", message_ru: "Занято.", request_id: "r" },
      details: [{ code: "too_long", message: "Too long.", message_ru: "Слишком длинно.", field: "body.about" }],
    },
  };
  const error = new ApiError(409, body, new Headers());
  expect(refusedFields(error, "ru")).toEqual({ team_id: "Занято.", about: "Слишком длинно." });
  const alike = { error: { code: "name_taken", message: "Alike.", message_ru: "Похоже.", details: [] } };
  expect(refusedFields(new ApiError(409, alike, new Headers()), "en")).toEqual({ team_name: "Alike." });
  const unseen = { code: "unfit_character", message: "Unseen.", message_ru: "Не видно.", field: "name" };
  const hidden = { error: { code: "invalid_team", message: "Form.", message_ru: "Вид.", details: [unseen] } };
  expect(refusedFields(new ApiError(422, hidden, new Headers()), "en")).toEqual({ team_name: "Unseen." });
});
